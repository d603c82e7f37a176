#include "plugins/infer/matrix/tree_refinement.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/matrix/binary_tree.hpp"
#include "plugins/infer/matrix/neighbour_joining.hpp"
#include "plugins/infer/matrix/subtree_search.hpp"
#include "tests/sim/random_topology.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

RttMatrix relative_matrix(const Topology& truth) {
    const TopologyQuery query(truth);
    RttMatrix matrix(truth.hosts);
    for (TopologyNode a = 0; a < matrix.size(); ++a)
        for (TopologyNode b = 0; b < a; ++b)
            matrix.set(a, b, 2 * query.distance(a, b).count());
    matrix.weigh_relatively();
    return matrix;
}

std::size_t wrong_splits(const Topology& truth, const Topology& inferred) {
    return compare_topologies(truth, inferred, {1000, 1}).value().robinson_foulds();
}

TEST(BinaryTree, HoldsEveryShapeAtItsDistances) {
    for (const sim::TreeShape shape : sim::all_tree_shapes)
        for (const std::size_t hosts : {3U, 4U, 5U, 30U}) {
            const Topology truth = sim::random_topology(hosts, shape, 7);
            const BinaryTree tree(truth);
            ASSERT_EQ(tree.size(), 2 * hosts - 2);
            const TopologyQuery query(truth);
            std::vector<double> distances;
            for (TopologyNode a = 0; a < hosts; ++a) {
                tree.distances(a, BinaryTree::none, distances);
                for (TopologyNode b = 0; b < hosts; ++b)
                    EXPECT_NEAR(distances[b], 2 * query.distance(a, b).count(), 1e-9);
            }
            const Topology binary = named_topology(truth.hosts, tree.size(), tree.links());
            EXPECT_TRUE(validate(binary));
            const auto empty = [](const TopologyLink& link) { return link.delay == Delay{0}; };
            EXPECT_EQ(wrong_splits(truth, contract(binary, empty)), 0u);
        }
}

TEST(BinaryTree, ContractsLinksBetweenSwitchesAlone) {
    const Topology tree{
        {"a", "b", "c", "d"},
        {"x", "y"},
        {{0, 4, Delay{0}}, {1, 4, Delay{1}}, {4, 5, Delay{0}}, {2, 5, Delay{1}}, {3, 5, Delay{1}}}};
    const Topology contracted =
        contract(tree, [](const TopologyLink& link) { return link.delay == Delay{0}; });
    EXPECT_EQ(contracted.switches, std::vector<std::string>{"s1"});
    EXPECT_EQ(contracted.links.size(), 4u);
    EXPECT_TRUE(validate(contracted));
}

// Against a search over a grid of places.
TEST(SubtreeSearch, TheBestFootholdIsTheBest) {
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> uniform(-10, 10);
    for (int round = 0; round < 200; ++round) {
        SquareSum near, far;
        for (int term = 0; term < 3; ++term) {
            near.add(std::fabs(uniform(random)), uniform(random));
            if (round % 10 != 0) far.add(std::fabs(uniform(random)), uniform(random));
        }
        const double length = std::fabs(uniform(random));
        Foothold best;
        const double least = best_foothold(near, far, length, best);
        EXPECT_DOUBLE_EQ(near.at(best.to_near) + far.at(best.to_far), least);
        EXPECT_GE(best.to_near + best.to_far, length - 1e-9);
        EXPECT_LE(std::fabs(best.to_near - best.to_far), length + 1e-9);
        for (int on = 0; on <= 20; ++on)
            for (int off = 0; off <= 40; ++off) {
                const double at = length * on / 20, away = off * 0.25;
                EXPECT_LE(least, near.at(at + away) + far.at(length - at + away) + 1e-9);
            }
    }
}

// From a tree that has nothing to do with the truth.
TEST(TreeRefinement, MovesEverySubtreeToItsPlace) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        const Topology truth = sim::random_topology(32, sim::TreeShape::any, seed);
        Topology start = sim::random_topology(32, sim::TreeShape::chain, seed + 100);
        start.hosts = truth.hosts;
        ASSERT_GT(wrong_splits(truth, start), 3u);
        FitQuality quality;
        const Topology refined = refine(start, relative_matrix(truth), Loss{}, &quality);
        EXPECT_TRUE(validate(refined));
        EXPECT_EQ(wrong_splits(truth, refined), 0u) << seed;
        EXPECT_LT(quality.cost, 1e-9);
    }
}

TEST(TreeRefinement, CostsLessThanTheFittedStart) {
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> uniform(1, 100);
    RttMatrix matrix(sim::random_topology(20, sim::TreeShape::star, 1).hosts);
    for (std::size_t a = 0; a < matrix.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            matrix.set(a, b, uniform(random));
    matrix.weigh_relatively();
    for (const Loss& loss : {Loss{}, Loss{1}}) {
        Topology start = neighbour_joining(matrix);
        const double before = fit_delays(start, matrix, loss).cost;
        FitQuality quality;
        (void)refine(start, matrix, loss, &quality);
        EXPECT_LT(quality.cost, before);
    }
}

}  // namespace
}  // namespace trellis::plugins::infer
