#include "plugins/infer/matrix/simplest_tree.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/matrix/matrix_survey.hpp"
#include "tests/sim/noisy_network.hpp"
#include "tests/sim/random_topology.hpp"
#include "tests/sim/source_networks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace trellis::plugins::infer {
namespace {

// The least of 30 noisy round trips of each pair.
RttMatrix least_round_trips(const sim::NoisyNetwork& network, std::uint64_t seed) {
    const TopologyQuery truth(network.truth);
    sim::NoisyRoundTrips noise(network, seed);
    RttMatrix matrix(network.truth.hosts);
    for (TopologyNode a = 0; a < matrix.size(); ++a)
        for (TopologyNode b = a + 1; b < matrix.size(); ++b) {
            const auto passed = std::chrono::duration_cast<Duration>(2 * truth.distance(a, b));
            Duration least = Duration::max();
            for (int sample = 0; sample < 30; ++sample)
                least = std::min(least, noise.sample(a, b, TimePoint{}, passed));
            matrix.set(a, b, std::chrono::duration<double, std::micro>(least).count());
        }
    return matrix;
}

RttMatrix exact_round_trips(const Topology& truth) {
    const TopologyQuery query(truth);
    RttMatrix matrix(truth.hosts);
    for (TopologyNode a = 0; a < matrix.size(); ++a)
        for (TopologyNode b = 0; b < a; ++b)
            matrix.set(a, b, 2 * query.distance(a, b).count());
    return matrix;
}

// Points of a plane, each some way off its own: no tree, as between hosts all over the world.
RttMatrix plane_round_trips(std::size_t hosts, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> place(0, 50'000), access(500, 5'000);
    std::vector<std::array<double, 3>> points;
    std::vector<std::string> names;
    for (std::size_t host = 0; host < hosts; ++host) {
        points.push_back({place(random), place(random), access(random)});
        names.push_back("w" + std::to_string(host));
    }
    RttMatrix matrix(names);
    for (std::size_t a = 0; a < hosts; ++a)
        for (std::size_t b = 0; b < a; ++b)
            matrix.set(a, b,
                       std::hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]) + points[a][2] +
                           points[b][2]);
    return matrix;
}

void expect_the_switches_of(const Topology& truth, const Topology& found) {
    ASSERT_TRUE(validate(found));
    ASSERT_EQ(found.hosts, truth.hosts);
    const TopologyComparison comparison = compare_topologies(truth, found, {1000, 1}).value();
    EXPECT_EQ(comparison.robinson_foulds(), 0u);
    EXPECT_TRUE(comparison.same_groups);
}

TEST(SimplestTree, OfANoisyClusterHasItsSwitchesAndNoOthers) {
    const sim::NoisyNetwork network = sim::one_cluster(64);
    const RttMatrix matrix = least_round_trips(network, 1);
    const SimplestTree tree = simplest_tree(matrix).value();
    expect_the_switches_of(network.truth, tree.topology);
    EXPECT_LT(tree.residuals.median, 0.005);
    EXPECT_GT(infer_from_matrix(matrix).value().topology.switches.size(), tree.topology.switches.size());
    for (const TopologyLink& link : tree.topology.links) {
        EXPECT_GT(link.confidence, 0.9);
        EXPECT_GT(link.standard_error.count(), 0);
    }
}

TEST(SimplestTree, OfDistantClustersHasTheSwitchesOfEach) {
    const sim::NoisyNetwork network = sim::four_clusters(64);
    expect_the_switches_of(network.truth, simplest_tree(least_round_trips(network, 2)).value().topology);
}

TEST(SimplestTree, IsTheClosestWhereATreeIsAnApproximation) {
    const RttMatrix matrix = plane_round_trips(60, 1);
    const SimplestTree tree = simplest_tree(matrix).value();
    EXPECT_EQ(tree.topology, infer_from_matrix(matrix).value().topology);
    EXPECT_TRUE(tree.remarks.empty());
}

TEST(SimplestTree, IsExactForExactTrees) {
    for (const sim::TreeShape shape : sim::all_tree_shapes)
        for (const std::size_t hosts : {4U, 5U, 8U, 24U}) {
            const Topology truth = sim::random_topology(hosts, shape, hosts);
            expect_the_switches_of(truth, simplest_tree(exact_round_trips(truth)).value().topology);
        }
}

TEST(SimplestTree, TakesFewHostsAndRefusesWhatTellsOfNoTree) {
    EXPECT_EQ(simplest_tree(RttMatrix({"a"})).value().topology, (Topology{{"a"}, {}, {}}));
    EXPECT_FALSE(simplest_tree(RttMatrix({})));
    EXPECT_FALSE(simplest_tree(RttMatrix({"a", "b"})));
}

TEST(SimplestTree, HasAllHostsWhereASurveyWouldLeaveSomeOut) {
    const sim::NoisyNetwork network = sim::one_cluster(24);
    RttMatrix matrix = least_round_trips(network, 1);
    for (std::size_t peer = 1; peer < matrix.size() - 2; ++peer)
        matrix.set(0, peer, 0, 0);
    const Topology closest = infer_from_matrix(matrix).value().topology;
    EXPECT_FALSE(survey_matrix(matrix, closest));
    EXPECT_EQ(simplest_tree(matrix).value().topology, closest);
}

TEST(SimplestTree, HostsMayBeNamedLikeSwitches) {
    sim::NoisyNetwork network = sim::one_cluster(16);
    for (std::size_t host = 0; host < 16; ++host)
        network.truth.hosts[host] = "s" + std::to_string(host);
    for (std::size_t place = 0; place < network.truth.switches.size(); ++place)
        network.truth.switches[place] = "t" + std::to_string(place);
    const Topology found = simplest_tree(least_round_trips(network, 1)).value().topology;
    EXPECT_TRUE(validate(found));
    EXPECT_EQ(found.hosts, network.truth.hosts);
}

TEST(SimplestTree, EqualMatricesGiveEqualTrees) {
    const RttMatrix matrix = least_round_trips(sim::one_cluster(24), 3);
    EXPECT_EQ(simplest_tree(matrix).value().topology, simplest_tree(matrix).value().topology);
}

}  // namespace
}  // namespace trellis::plugins::infer
