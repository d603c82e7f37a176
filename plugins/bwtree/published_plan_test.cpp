#include "plugins/bwtree/published_plan.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

using Pairs = std::set<std::pair<std::string, std::string>>;

// core has three switches below it: of three hosts, two hosts, one host and a switch of two more.
Topology three_branches() {
    Topology tree;
    tree.hosts = {"a0", "a1", "a2", "b0", "b1", "c0", "d0", "d1"};
    tree.switches = {"core", "a", "b", "c", "d"};
    const auto link = [&](TopologyNode a, TopologyNode b) { tree.links.push_back({a, b, Delay{10}}); };
    for (TopologyNode host = 0; host < 3; ++host)
        link(host, 9);
    link(3, 10);
    link(4, 10);
    link(5, 11);
    link(6, 12);
    link(7, 12);
    link(9, 8);
    link(10, 8);
    link(11, 8);
    link(12, 11);
    return tree;
}

Pairs names_of(const Topology& tree, const Round& round) {
    Pairs names;
    for (const Flow& flow : round)
        names.emplace(tree.hosts[flow.from], tree.hosts[flow.to]);
    return names;
}

TEST(PublishedPlan, GoesFromTheLeavesToTheRootAndMeasuresTheOddOneLast) {
    const Topology tree = three_branches();
    ASSERT_EQ(DirectedPaths(tree).root(), 8u);
    PublishedPlan plan(tree);
    std::vector<Pairs> rounds;
    while (const auto round = plan.next()) {
        rounds.push_back(names_of(tree, *round));
        plan.take(
            std::vector<FlowRate>(round->size(), FlowRate{1e6 * static_cast<double>(rounds.size()), 1}));
    }
    const std::vector<Pairs> expected{
        {{"d0", "d1"}},                              // stage 1: below d
        {{"a0", "a1"}, {"b0", "b1"}, {"c0", "d0"}},  // stage 2: below a, b and c
        {{"a2", "a0"}},                              // the odd one below a
        {{"a0", "b0"}},                              // stage 3: below the root
        {{"c0", "a0"}}};                             // the odd one there
    ASSERT_EQ(rounds.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(rounds[i], expected[i]) << "round " << i + 1;
    const TopologyBandwidth found = plan.result();
    const std::vector<double> by_link{2, 2, 3, 2, 2, 2, 1, 1, 4, 4, 5, 2};
    for (std::size_t i = 0; i < by_link.size(); ++i) {
        EXPECT_EQ(found.links[i][0].bits_per_second, 1e6 * by_link[i]) << "link " << i;
        EXPECT_EQ(found.links[i][0], found.links[i][1]);
    }
}

TEST(PublishedPlan, AnotherHostStandsForOneThatIsGone) {
    const Topology tree = three_branches();
    PublishedPlan plan(tree);
    plan.leave_out(0);
    while (const auto round = plan.next()) {
        for (const auto& [from, to] : names_of(tree, *round))
            EXPECT_TRUE(from != "a0" && to != "a0");
        plan.take(std::vector<FlowRate>(round->size(), FlowRate{1e6, 1}));
    }
    const TopologyBandwidth found = plan.result();
    EXPECT_EQ(found.links[0][0].kind, LinkBandwidth::Kind::not_measured);
    EXPECT_EQ(found.links[8][0].kind, LinkBandwidth::Kind::measured);
}

}  // namespace
}  // namespace trellis::plugins::bwtree
