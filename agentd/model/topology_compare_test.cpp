#include "agentd/model/topology_compare.hpp"

#include "tests/sim/random_topology.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using ::testing::HasSubstr;

// Four hosts in two pairs, joined by one link: (a b) - (c d).
Topology quartet(std::vector<std::string> hosts, Delay middle = Delay{4}) {
    Topology topology;
    topology.hosts = std::move(hosts);
    topology.switches = {"s", "t"};
    topology.links = {{0, 4, Delay{1}}, {1, 4, Delay{1}}, {2, 5, Delay{1}}, {3, 5, Delay{1}}, {4, 5, middle}};
    return topology;
}

Topology star(std::vector<std::string> hosts) {
    Topology topology;
    topology.hosts = std::move(hosts);
    topology.switches = {"x"};
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host)
        topology.links.push_back({host, static_cast<TopologyNode>(topology.hosts.size()), Delay{3}});
    return topology;
}

TEST(TopologyCompare, ATreeEqualsItselfWhateverItsNumbers) {
    const Topology tree = sim::random_topology(50, sim::TreeShape::any, 1);
    std::vector<std::string> reversed(tree.hosts.rbegin(), tree.hosts.rend());
    Topology other = quartet({"d", "c", "a", "b"});
    EXPECT_EQ(compare_topologies(quartet({"a", "b", "c", "d"}), other).value().robinson_foulds(), 0u);
    const auto result = compare_topologies(tree, tree).value();
    EXPECT_EQ(result.robinson_foulds(), 0u);
    EXPECT_GT(result.true_splits, 5u);
    EXPECT_EQ(result.false_positives + result.false_negatives, 0u);
    EXPECT_EQ(result.sharing + result.not_sharing, 100'000u);
    EXPECT_EQ(result.largest_error, Delay{0});
    EXPECT_TRUE(result.same_groups);
}

TEST(TopologyCompare, TellsFalseFromMissedSplits) {
    const Topology truth = quartet({"a", "b", "c", "d"});
    const auto crossed = compare_topologies(truth, quartet({"a", "c", "b", "d"})).value();
    EXPECT_EQ(crossed.false_splits, 1u);
    EXPECT_EQ(crossed.missed_splits, 1u);
    EXPECT_FALSE(crossed.same_groups);
    const auto merged = compare_topologies(truth, star({"a", "b", "c", "d"})).value();
    EXPECT_EQ(merged.false_splits, 0u);
    EXPECT_EQ(merged.missed_splits, 1u);
    EXPECT_EQ(merged.false_positives, 0u);
    EXPECT_GT(merged.false_negatives, 0u);
    const auto scattered = compare_topologies(star({"a", "b", "c", "d"}), truth).value();
    EXPECT_EQ(scattered.false_splits, 1u);
    EXPECT_EQ(scattered.missed_splits, 0u);
    EXPECT_GT(scattered.false_positives, 0u);
    EXPECT_EQ(scattered.false_negatives, 0u);
}

TEST(TopologyCompare, SharedLinkRatesAreThoseOfAllQuestions) {
    // Of the 12 x 12 questions over four hosts, the star shares a link when the pairs have a host in common.
    const auto result = compare_topologies(star({"a", "b", "c", "d"}), quartet({"a", "b", "c", "d"})).value();
    const double sharing = static_cast<double>(result.sharing) / 100'000;
    EXPECT_NEAR(sharing, 120.0 / 144, 0.005);
    EXPECT_NEAR(result.false_positive_rate(), 2.0 / 3, 0.01);  // ac|bd and ad|bc, not ab|cd
}

TEST(TopologyCompare, DelayErrors) {
    const Topology truth = quartet({"a", "b", "c", "d"});
    const auto result = compare_topologies(truth, quartet({"a", "b", "c", "d"}, Delay{7})).value();
    EXPECT_EQ(result.robinson_foulds(), 0u);
    EXPECT_EQ(result.largest_error, Delay{3});
    EXPECT_EQ(result.median_error, Delay{3});  // two pairs of three cross the middle
    EXPECT_NEAR(result.median_relative_error, 0.5, 1e-12);
}

TEST(TopologyCompare, IsRepeatable) {
    const Topology truth = sim::random_topology(30, sim::TreeShape::any, 1);
    const Topology other = sim::random_topology(30, sim::TreeShape::any, 2);
    const auto once = compare_topologies(truth, other, {1000, 5}).value();
    const auto twice = compare_topologies(truth, other, {1000, 5}).value();
    EXPECT_EQ(comparison_to_json(once), comparison_to_json(twice));
    EXPECT_GT(once.robinson_foulds(), 0u);
}

TEST(TopologyCompare, RefusesOtherHostsAndBrokenTrees) {
    const Topology truth = quartet({"a", "b", "c", "d"});
    const auto result = compare_topologies(truth, quartet({"a", "b", "c", "e"}));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().host, "d");
    EXPECT_THAT(result.error().cause, HasSubstr("only in the true"));
    Topology broken = truth;
    broken.links.pop_back();
    EXPECT_FALSE(compare_topologies(truth, broken));
    EXPECT_TRUE(compare_topologies(Topology{}, Topology{}).value().same_groups);
}

TEST(TopologyCompare, ReportsForPeople) {
    const auto result = compare_topologies(quartet({"a", "b", "c", "d"}), star({"a", "b", "c", "d"})).value();
    EXPECT_THAT(comparison_text(result), HasSubstr("distance  1 (0 of 0 splits false, 1 of 1 missed)"));
}

}  // namespace
}  // namespace trellis
