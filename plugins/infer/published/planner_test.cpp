#include "plugins/infer/published/planner.hpp"

#include "trellis/message.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/random_topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <gmock/gmock.h>

namespace trellis::plugins::infer {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t seed_step = sim::effort(1, 23);

// Answers from the truth, without noise, and counts the pairs.
class Oracle {
  public:
    explicit Oracle(const Topology& truth) : query_(truth) {}

    PairMeasurement measure(HostNumber from, HostNumber to) {
        EXPECT_TRUE(pairs_.emplace(std::minmax(from, to)).second) << "measured twice";
        return {2 * query_.distance(from, to), Delay{0}};
    }
    [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }

  private:
    TopologyQuery query_;
    std::set<std::pair<HostNumber, HostNumber>> pairs_;
};

template <class Machine>
void drive(Machine& machine, HostNumber host, Oracle& oracle) {
    while (const auto wanted = machine.next())
        machine.answer(oracle.measure(host, *wanted));
}

TravellingTree insert(TravellingTree tree, HostNumber host, Measurements known, Oracle& oracle) {
    Insertion insertion(std::move(tree), host, std::move(known), host);
    drive(insertion, host, oracle);
    EXPECT_TRUE(insertion.inserted());
    return insertion.tree();
}

TravellingTree infer_plainly(const Topology& truth, Oracle& oracle, std::uint64_t seed) {
    TravellingTree tree;
    for (const HostNumber host : insertion_order(truth.hosts.size(), seed))
        tree = insert(std::move(tree), host, {}, oracle);
    return tree;
}

TravellingTree infer_with_search(const Topology& truth, Oracle& oracle, std::uint64_t seed) {
    std::vector<TravellingTree> trees{{}};
    const auto order = insertion_order(truth.hosts.size(), seed);
    for (std::size_t i = 0; i < order.size(); ++i) {
        CloseHostSearch search(trees[i < lookahead ? i : i + 1 - lookahead], seed);
        drive(search, order[i], oracle);
        trees.push_back(insert(trees.back(), order[i], search.measurements(), oracle));
    }
    return trees.back();
}

std::size_t published_bound(const Topology& truth) {
    std::vector<std::size_t> ports(truth.node_count(), 0);
    for (const TopologyLink& link : truth.links) {
        ++ports[link.a];
        ++ports[link.b];
    }
    const TopologyQuery query(truth);
    std::size_t diameter = 0;
    for (TopologyNode a = 0; a < truth.hosts.size(); ++a)
        for (TopologyNode b = 0; b < a; ++b)
            diameter = std::max(diameter, query.hops(a, b));
    return (std::ranges::max(ports) * diameter + 1) * (truth.hosts.size() - 2);
}

void expect_equal(const Topology& truth, const Topology& inferred) {
    const auto comparison = compare_topologies(truth, inferred, {2000, 1}).value();
    EXPECT_EQ(comparison.robinson_foulds(), 0u);
    EXPECT_TRUE(comparison.same_groups);
    EXPECT_EQ(comparison.false_positives + comparison.false_negatives, 0u);
    EXPECT_EQ(inferred.switches.size(), visible_part(truth).switches.size());
    const TopologyQuery expected(truth), found(inferred);
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        const auto a = static_cast<TopologyNode>(random() % truth.hosts.size());
        const auto b = static_cast<TopologyNode>(random() % truth.hosts.size());
        const double distance = expected.distance(a, b).count();
        EXPECT_NEAR(found.distance(a, b).count(), distance, 1e-9 * distance);
    }
}

TEST(InferPlanner, FindsAThousandRandomTreesExactlyWithinThePublishedBound) {
    for (std::uint64_t seed = 0; seed < 1000; seed += seed_step) {
        const std::size_t hosts = 3 + (seed * 7919) % 298;
        const Topology truth = sim::random_topology(hosts, sim::all_tree_shapes[seed % 5], seed);
        Oracle oracle(truth);
        const TravellingTree tree = infer_plainly(truth, oracle, seed);
        ASSERT_TRUE(validate(tree, hosts)) << validate(tree, hosts).error().cause;
        expect_equal(truth, to_topology(tree, truth.hosts));
        EXPECT_EQ(tree.measured_pairs, oracle.pairs());
        EXPECT_LE(oracle.pairs(), published_bound(truth));
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << hosts << " hosts";
    }
}

TEST(InferPlanner, IsExactWithTheSearchForCloseHostsToo) {
    for (std::uint64_t seed = 0; seed < 200; seed += seed_step) {
        const std::size_t hosts = 3 + (seed * 7919) % 198;
        const Topology truth = sim::random_topology(hosts, sim::all_tree_shapes[seed % 5], seed);
        Oracle oracle(truth);
        const TravellingTree tree = infer_with_search(truth, oracle, seed);
        expect_equal(truth, to_topology(tree, truth.hosts));
        EXPECT_EQ(tree.measured_pairs, oracle.pairs());
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << hosts << " hosts";
    }
}

TEST(InferPlanner, OneTwoAndThreeHosts) {
    Topology truth{{"a", "b", "c"}, {"x"}, {{0, 3, Delay{1}}, {1, 3, Delay{2}}, {2, 3, Delay{3}}}};
    Oracle oracle(truth);
    TravellingTree tree = insert({}, 0, {}, oracle);
    EXPECT_EQ(to_topology(tree, truth.hosts), (Topology{{"a"}, {}, {}}));
    tree = insert(tree, 1, {}, oracle);
    EXPECT_EQ(to_topology(tree, truth.hosts), (Topology{{"a", "b"}, {}, {{0, 1, Delay{3}}}}));
    tree = insert(tree, 2, {}, oracle);
    EXPECT_EQ(oracle.pairs(), 3u);
    expect_equal(truth, to_topology(tree, truth.hosts));
    EXPECT_EQ(to_topology(tree, truth.hosts).switches, std::vector<std::string>{"s1"});
}

TEST(InferPlanner, SeveralAgentsOfOneMachineHangTogether) {
    Topology truth{{"a", "b", "c", "d", "e"}, {"x", "y"}, {}};
    truth.links = {{0, 5, Delay{0}}, {1, 5, Delay{0}}, {2, 5, Delay{0}},
                   {5, 6, Delay{7}}, {3, 6, Delay{2}}, {4, 6, Delay{3}}};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Oracle oracle(truth);
        const TravellingTree tree = infer_plainly(truth, oracle, seed);
        ASSERT_TRUE(validate(tree, 5));
        EXPECT_TRUE(compare_topologies(truth, to_topology(tree, truth.hosts), {1000, 1}).value().same_groups);
        EXPECT_NEAR(TopologyQuery(to_topology(tree, truth.hosts)).distance(0, 2).count(), 0, 1e-9);
    }
}

// a - x - b, 50 us each; a third host is measured as if it branched off at `position` from a.
TravellingTree add_third(double position, double tolerance_us, TravellingTree tree) {
    const double leg = 20;
    const auto newcomer = static_cast<HostNumber>(
        std::ranges::count_if(tree.nodes, [](HostNumber host) { return host != no_host; }));
    Measurements known{{0, {Delay{2 * (position + leg)}, Delay{tolerance_us / 2}}},
                       {1, {Delay{2 * (100 - position + leg)}, Delay{tolerance_us}}},
                       {2, {Delay{2 * (std::abs(position - 50) + 2 * leg)}, Delay{0}}}};
    Insertion insertion(std::move(tree), newcomer, std::move(known), 1);
    EXPECT_FALSE(insertion.next());
    EXPECT_TRUE(insertion.inserted());
    return insertion.tree();
}

TEST(InferPlanner, ABranchingPointWithinTheToleranceIsTheSwitch) {
    TravellingTree tree;
    tree.nodes = {0, 1};
    tree.tolerances_us = {0, 0};
    tree.links = {{0, 1, 100}};
    tree = add_third(50, 0, tree);
    EXPECT_EQ(add_third(52, 2.5, tree).nodes.size(), tree.nodes.size() + 1);  // one host, no switch
    EXPECT_EQ(add_third(52, 1.5, tree).nodes.size(), tree.nodes.size() + 2);  // and a switch of its own
}

TEST(InferPlanner, ADistanceOnTheTreeIsAsVagueAsThePlacesOfItsHosts) {
    TravellingTree tree;
    tree.nodes = {0, 1};
    tree.tolerances_us = {0, 0};
    tree.links = {{0, 1, 100}};
    tree = add_third(50, 0, tree);
    EXPECT_EQ(add_third(52, 1.5, tree).nodes.size(), tree.nodes.size() + 2);
    tree.tolerances_us.assign({2.5, 2.5, 0, 2.5});
    EXPECT_EQ(add_third(52, 1.5, tree).nodes.size(), tree.nodes.size() + 1);
}

TEST(InferPlanner, NoiseNeverLeadsOutOfTheTree) {
    std::mt19937_64 random(5);
    for (std::uint64_t seed = 0; seed < 200; seed += seed_step) {
        TravellingTree tree;
        for (HostNumber host = 0; host < 30; ++host) {
            CloseHostSearch search(tree, seed);
            const auto nonsense = [&] {
                return PairMeasurement{Delay{static_cast<double>(random() % 1000)},
                                       Delay{static_cast<double>(random() % 20)}};
            };
            while (search.next())
                search.answer(nonsense());
            Insertion insertion(tree, host, search.measurements(), seed);
            while (insertion.next())
                insertion.answer(nonsense());
            tree = insertion.tree();
            ASSERT_TRUE(validate(tree, 30)) << validate(tree, 30).error().cause;
        }
        EXPECT_TRUE(trellis::validate(to_topology(
            tree, std::vector<std::string>(sim::random_topology(30, sim::TreeShape::star, 1).hosts))));
    }
}

TEST(InferPlanner, GoesRoundHostsThatCannotBeMeasured) {
    const Topology truth = sim::random_topology(40, sim::TreeShape::any, 9);
    Oracle oracle(truth);
    TravellingTree tree;
    for (HostNumber host = 0; host < 39; ++host)
        tree = insert(std::move(tree), host, {}, oracle);
    Insertion insertion(tree, 39, {}, 3);
    while (const auto wanted = insertion.next()) {
        if (*wanted % 3 == 0)
            insertion.no_answer();
        else
            insertion.answer(oracle.measure(39, *wanted));
    }
    EXPECT_TRUE(insertion.inserted());
    EXPECT_TRUE(validate(insertion.tree(), 40));

    Insertion alone(tree, 39, {}, 3);
    while (alone.next())
        alone.no_answer();
    EXPECT_FALSE(alone.inserted());
    EXPECT_EQ(alone.tree(), tree);

    CloseHostSearch search(tree, 1);
    std::size_t asked = 0;
    for (; search.next(); search.no_answer())
        ++asked;
    EXPECT_EQ(asked, 39u);
    EXPECT_TRUE(search.measurements().empty());
}

TEST(CloseHostSearch, MeasuresAFarClusterOnce) {
    // Two clusters of eight, 1 ms apart; the newcomer is in the first.
    Topology truth;
    truth.switches = {"x", "y"};
    for (int i = 0; i < 17; ++i)
        truth.hosts.push_back("h" + std::to_string(100 + i));
    for (TopologyNode i = 0; i < 17; ++i)
        truth.links.push_back({i, i % 2 ? 18u : 17u, Delay{20}});
    truth.links.push_back({17, 18, Delay{1000}});
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Oracle building(truth), oracle(truth);
        TravellingTree tree;
        for (HostNumber host = 0; host < 16; ++host)
            tree = insert(std::move(tree), host, {}, building);
        CloseHostSearch search(tree, seed);
        drive(search, 16, oracle);
        const auto far =
            std::ranges::count_if(search.measurements(), [](const auto& m) { return m.first % 2 == 1; });
        EXPECT_LE(far, 1);
        EXPECT_EQ(search.measurements().size() - static_cast<std::size_t>(far), 8u);
    }
}

TEST(Measurement, IsTheLeastMinimumAndTheirSpread) {
    using namespace std::chrono_literals;
    const std::vector<Duration> minima{81'500ns, 80'250ns, 84'000ns};
    EXPECT_EQ(summarize(minima), (PairMeasurement{Delay{80.25}, Delay{3.75}}));
    const std::vector<Duration> same{80'000ns, 80'000ns, 80'400ns};
    EXPECT_EQ(summarize(same), (PairMeasurement{Delay{80}, clock_step}));
}

TEST(InsertionOrder, IsASeededPermutation) {
    auto order = insertion_order(100, 4);
    EXPECT_EQ(order, insertion_order(100, 4));
    EXPECT_NE(order, insertion_order(100, 5));
    std::ranges::sort(order);
    for (HostNumber i = 0; i < 100; ++i)
        EXPECT_EQ(order[i], i);
    EXPECT_TRUE(insertion_order(0, 1).empty());
}

TravellingTree small_tree() {
    TravellingTree tree;
    tree.nodes = {2, 0, no_host, 1};
    tree.tolerances_us = {1, 1, 0, 1};
    tree.links = {{0, 2, 1}, {1, 2, 2}, {3, 2, 3}};
    tree.measured_pairs = 3;
    return tree;
}

TEST(TravellingTree, TravelsAsBytes) {
    EXPECT_EQ(decode<TravellingTree>(encode(small_tree())).value(), small_tree());
    EXPECT_LT(encode(small_tree()).size(), 150u);
}

TEST(TravellingTree, HostileOnesAreRefused) {
    EXPECT_TRUE(validate(small_tree(), 3));
    EXPECT_TRUE(validate(TravellingTree{}, 0));
    const auto refusal = [](auto change) {
        TravellingTree tree = small_tree();
        change(tree);
        const auto result = validate(tree, 3);
        return result ? std::string("accepted") : result.error().cause;
    };
    EXPECT_THAT(refusal([](auto& t) { t.nodes[0] = 3; }), HasSubstr("unknown host"));
    EXPECT_THAT(refusal([](auto& t) { t.nodes[0] = 1; }), HasSubstr("twice"));
    EXPECT_THAT(refusal([](auto& t) { t.nodes.resize(7, no_host); }), HasSubstr("too many nodes"));
    EXPECT_THAT(refusal([](auto& t) { t.measured_pairs = 10; }), HasSubstr("measured pairs"));
    EXPECT_THAT(refusal([](auto& t) { t.tolerances_us.pop_back(); }), HasSubstr("one tolerance"));
    EXPECT_THAT(refusal([](auto& t) { t.tolerances_us[1] = -1; }), HasSubstr("tolerance out of range"));
    EXPECT_THAT(refusal([](auto& t) { t.links.pop_back(); }), HasSubstr("number of links"));
    EXPECT_THAT(refusal([](auto& t) { t.links[0].a = 4; }), HasSubstr("no node"));
    EXPECT_THAT(refusal([](auto& t) { t.links[0].delay_us = -1; }), HasSubstr("delay"));
    EXPECT_THAT(refusal([](auto& t) { t.links[0].delay_us = std::numeric_limits<double>::quiet_NaN(); }),
                HasSubstr("delay"));
    EXPECT_THAT(refusal([](auto& t) { t.links[0] = {1, 3, 1}; }), HasSubstr("host inside"));
    EXPECT_THAT(refusal([](auto& t) { t.nodes[3] = no_host; }), HasSubstr("without branches"));
    EXPECT_THAT(refusal([](auto& t) { t.links[0] = {2, 2, 1}; }), HasSubstr("not one tree"));
}

TEST(TravellingTree, SwitchNamesDifferFromHostNames) {
    const Topology topology = to_topology(small_tree(), std::vector<std::string>{"s1", "switch2", "c"});
    EXPECT_EQ(topology.switches, std::vector<std::string>{"switch-1"});
    EXPECT_TRUE(trellis::validate(topology));
    EXPECT_EQ(topology.links.front().a, 3u);
}

}  // namespace
}  // namespace trellis::plugins::infer
