#include "plugins/infer/matrix/matrix_inference.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/matrix/neighbour_joining.hpp"
#include "tests/sim/random_topology.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace trellis::plugins::infer {
namespace {

// Round trips of a tree, each times a factor e^(noise * normal).
RttMatrix matrix_of(const Topology& truth, double noise = 0, std::uint64_t seed = 1) {
    const TopologyQuery query(truth);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    RttMatrix matrix(truth.hosts);
    for (TopologyNode a = 0; a < matrix.size(); ++a)
        for (TopologyNode b = 0; b < a; ++b)
            matrix.set(a, b, 2 * query.distance(a, b).count() * std::exp(noise * normal(random)));
    return matrix;
}

// Racks of 4 to 16 hosts, links between switches of 30 to 80 us.
Topology racks(std::size_t switches, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Topology tree;
    std::vector<std::size_t> rack;
    for (std::size_t s = 0; s < switches; ++s) {
        tree.switches.push_back("rack" + std::to_string(s));
        for (std::size_t left = 4 + random() % 13; left > 0; --left)
            rack.push_back(s);
    }
    const auto node = [&](std::size_t s) { return static_cast<TopologyNode>(rack.size() + s); };
    for (std::size_t host = 0; host < rack.size(); ++host) {
        tree.hosts.push_back("h" + std::to_string(host));
        const double delay_us = 10 + static_cast<double>(random() % 20);
        tree.links.push_back({static_cast<TopologyNode>(host), node(rack[host]), Delay{delay_us}});
    }
    for (std::size_t s = 1; s < switches; ++s) {
        const double delay_us = 30 + static_cast<double>(random() % 50);
        tree.links.push_back({node(s), node(random() % s), Delay{delay_us}});
    }
    return tree;
}

void expect_same(const Topology& truth, const Topology& inferred, double tolerance_us) {
    ASSERT_TRUE(validate(inferred)) << validate(inferred).error().message();
    const TopologyComparison comparison = compare_topologies(truth, inferred, {1000, 1}).value();
    EXPECT_EQ(comparison.robinson_foulds(), 0u);
    EXPECT_TRUE(comparison.same_groups);
    EXPECT_LE(comparison.largest_error.count(), tolerance_us);
}

TEST(NeighbourJoining, IsExactForExactTrees) {
    for (const sim::TreeShape shape : sim::all_tree_shapes) {
        const Topology truth = sim::random_topology(20, shape, 3);
        const Topology joined = neighbour_joining(matrix_of(truth));
        EXPECT_TRUE(validate(joined));
        EXPECT_EQ(joined.switches.size(), 18u);
        EXPECT_LT(residuals_of(joined, matrix_of(truth)).worst_pairs.front().relative, 1e-9);
        EXPECT_EQ(compare_topologies(truth, joined, {1000, 1}).value().missed_splits, 0u);
    }
}

TEST(NeighbourJoining, SwitchesGetNamesThatNoHostHas) {
    RttMatrix matrix({"s1", "x", "s3"});
    matrix.set(0, 1, 2);
    matrix.set(0, 2, 2);
    matrix.set(1, 2, 2);
    EXPECT_THAT(neighbour_joining(matrix).switches, ::testing::ElementsAre("s2"));
}

TEST(MatrixInference, IsExactForExactTrees) {
    for (const sim::TreeShape shape : sim::all_tree_shapes)
        for (const std::size_t hosts : {4U, 5U, 6U, 8U, 13U, 24U, 64U})
            for (const std::uint64_t seed : {1U, 2U, 3U}) {
                const Topology truth = sim::random_topology(hosts, shape, seed);
                const MatrixInference inferred = infer_from_matrix(matrix_of(truth)).value();
                expect_same(truth, inferred.topology, 1e-3);
                EXPECT_LT(inferred.residuals.worst_pairs.front().relative, 1e-6);
            }
}

TEST(MatrixInference, IsExactForTiesAndLinksOfNoLength) {
    Topology truth = racks(6, 1);
    for (TopologyLink& link : truth.links)
        link.delay = Delay{truth.is_host(link.a) ? 10.0 : 20.0};
    expect_same(truth, infer_from_matrix(matrix_of(truth)).value().topology, 1e-3);
    for (TopologyLink& link : truth.links)
        if (truth.is_host(link.a) && link.a % 3 == 0) link.delay = Delay{0};
    expect_same(truth, infer_from_matrix(matrix_of(truth)).value().topology, 1e-3);
}

TEST(MatrixInference, FindsTheSwitchesThroughNoise) {
    for (const double noise : {0.01, 0.03, 0.05})
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            const Topology truth = racks(6, seed);
            const MatrixInference inferred = infer_from_matrix(matrix_of(truth, noise, seed)).value();
            expect_same(truth, inferred.topology, 10);
            EXPECT_NEAR(inferred.residuals.median, 0.6745 * noise, 0.2 * noise);
            for (const TopologyLink& link : inferred.topology.links)
                EXPECT_GT(link.confidence, 0.999);
        }
}

TEST(MatrixInference, BearsMissingPairs) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Topology truth = racks(4, seed);
        RttMatrix matrix = matrix_of(truth);
        std::mt19937_64 random(seed);
        for (std::size_t a = 0; a < matrix.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (random() % 10 < 3) matrix.set(a, b, 0, 0);
        expect_same(truth, infer_from_matrix(matrix).value().topology, 1e-3);
    }
}

// A tenth of the pairs goes by a way that is no part of the tree.
TEST(MatrixInference, IsCloserThanNeighbourJoiningWhereATreeIsAnApproximation) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        RttMatrix matrix = matrix_of(racks(8, seed), 0.1, seed);
        std::mt19937_64 random(seed);
        for (std::size_t a = 0; a < matrix.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (random() % 10 == 0) matrix.set(a, b, matrix.rtt_us(a, b) * 0.4);
        const Residuals joined = residuals_of(neighbour_joining(matrix), matrix);
        const Residuals ours = infer_from_matrix(matrix).value().residuals;
        EXPECT_LT(ours.median, 0.85 * joined.median);
    }
}

TEST(MatrixInference, EqualMatricesGiveEqualTrees) {
    const RttMatrix matrix = matrix_of(racks(5, 2), 0.2, 2);
    EXPECT_EQ(infer_from_matrix(matrix).value().topology, infer_from_matrix(matrix).value().topology);
}

TEST(MatrixInference, TakesFewHosts) {
    EXPECT_EQ(infer_from_matrix(RttMatrix({"a"})).value().topology, (Topology{{"a"}, {}, {}}));
    RttMatrix two({"a", "b"});
    two.set(0, 1, 10);
    const Topology pair = infer_from_matrix(two).value().topology;
    ASSERT_EQ(pair.links.size(), 1u);
    EXPECT_NEAR(pair.links[0].delay.count(), 5, 1e-9);
    const Topology truth = sim::random_topology(3, sim::TreeShape::star, 1);
    expect_same(truth, infer_from_matrix(matrix_of(truth)).value().topology, 1e-6);
    RttMatrix nearby({"a", "b", "c", "d"});
    for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})
        nearby.set(static_cast<std::size_t>(a), static_cast<std::size_t>(b), 0);
    EXPECT_TRUE(validate(infer_from_matrix(nearby).value().topology));
}

TEST(MatrixInference, RefusesWhatTellsOfNoTree) {
    EXPECT_EQ(infer_from_matrix(RttMatrix({})).error().message(), "the matrix names no hosts");
    EXPECT_THAT(infer_from_matrix(RttMatrix({"a", "b"})).error().message(),
                ::testing::HasSubstr("connects b to a"));
}

TEST(Residuals, AreRelativeAndNameTheWorst) {
    const Topology star{{"a", "b", "c"}, {"s"}, {{0, 3, Delay{2.5}}, {1, 3, Delay{2.5}}, {2, 3, Delay{2.5}}}};
    RttMatrix matrix(star.hosts);
    matrix.set(0, 1, 20);
    matrix.set(0, 2, 5);
    matrix.set(1, 2, 8);
    const Residuals residuals = residuals_of(star, matrix, 2);
    EXPECT_EQ(residuals.pairs, 3u);
    EXPECT_EQ(residuals.median, 0.5);
    EXPECT_DOUBLE_EQ(residuals.mean, (0.5 + 0.25 + 1) / 3);
    ASSERT_EQ(residuals.worst_pairs.size(), 2u);
    EXPECT_EQ(residuals.worst_pairs[0].b, 2u);
    EXPECT_EQ(residuals.worst_pairs[0].tree_us, 10);
    EXPECT_EQ(residuals.worst_hosts[0].host, 0u);
}

}  // namespace
}  // namespace trellis::plugins::infer
