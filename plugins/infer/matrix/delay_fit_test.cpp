#include "plugins/infer/matrix/delay_fit.hpp"

#include "agentd/model/topology_query.hpp"
#include "tests/sim/random_topology.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// Round trips of a tree, each times a factor e^(noise * normal), weighed as 1/(noise * rtt)^2 (noise > 0).
RttMatrix noisy_matrix(const Topology& truth, double noise, std::uint64_t seed) {
    const TopologyQuery query(truth);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    RttMatrix matrix(truth.hosts);
    for (TopologyNode a = 0; a < matrix.size(); ++a)
        for (TopologyNode b = 0; b < a; ++b) {
            const double rtt_us = 2 * query.distance(a, b).count();
            const double deviation = noise > 0 ? noise * rtt_us : 1;
            matrix.set(a, b, rtt_us * std::exp(noise * normal(random)), 1 / (deviation * deviation));
        }
    return matrix;
}

Topology without_delays(Topology tree) {
    for (TopologyLink& link : tree.links)
        link.delay = Delay{0};
    return tree;
}

Topology star_of_three() {
    return {{"a", "b", "c"}, {"s"}, {{0, 3, Delay{1}}, {3, 1, Delay{1}}, {3, 2, Delay{1}}}};
}

TEST(DelayFit, FindsTheDelaysOfExactRoundTrips) {
    for (const sim::TreeShape shape : sim::all_tree_shapes)
        for (const std::size_t hosts : {3U, 4U, 9U, 40U}) {
            const Topology truth = sim::random_topology(hosts, shape, hosts);
            Topology fitted = without_delays(truth);
            const FitQuality quality = fit_delays(fitted, noisy_matrix(truth, 0, 1));
            for (std::size_t link = 0; link < truth.links.size(); ++link)
                EXPECT_NEAR(fitted.links[link].delay.count(), truth.links[link].delay.count(), 1e-3);
            EXPECT_EQ(quality.pairs, hosts * (hosts - 1) / 2);
            EXPECT_EQ(quality.links, truth.links.size());
            EXPECT_LT(quality.cost, 1e-6);
        }
}

TEST(DelayFit, PairsWithoutWeightDoNotCount) {
    const Topology truth = sim::random_topology(20, sim::TreeShape::any, 3);
    RttMatrix matrix = noisy_matrix(truth, 0, 1);
    for (const std::size_t peer : {1U, 2U, 3U, 5U})
        matrix.set(4, peer, 1e6, 0);
    Topology fitted = without_delays(truth);
    EXPECT_EQ(fit_delays(fitted, matrix).pairs, 186u);
    for (std::size_t link = 0; link < truth.links.size(); ++link)
        EXPECT_NEAR(fitted.links[link].delay.count(), truth.links[link].delay.count(), 1e-3);
}

// Without the bound, a would be at -1.
TEST(DelayFit, DelaysAreNeverNegative) {
    RttMatrix matrix({"a", "b", "c"});
    matrix.set(0, 1, 2);
    matrix.set(0, 2, 2);
    matrix.set(1, 2, 8);
    Topology tree = star_of_three();
    const FitQuality quality = fit_delays(tree, matrix);
    EXPECT_EQ(tree.links[0].delay.count(), 0);
    EXPECT_NEAR(tree.links[1].delay.count(), 5.0 / 3, 1e-6);
    EXPECT_NEAR(tree.links[2].delay.count(), 5.0 / 3, 1e-6);
    EXPECT_NEAR(quality.cost, 16.0 / 3, 1e-6);
}

TEST(DelayFit, NoSmallChangeOfADelayIsBetter) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        Topology tree = sim::random_topology(24, sim::TreeShape::any, seed);
        const RttMatrix matrix = noisy_matrix(tree, 0.3, seed);
        const double least = fit_delays(tree, matrix).cost;
        std::vector<double> lengths;
        for (const TopologyLink& link : tree.links)
            lengths.push_back(2 * link.delay.count());
        const DelayFit fit(tree.node_count(), tree.links, matrix);
        for (double& length : lengths)
            for (const double change : {-0.1, 0.1}) {
                const double kept = length;
                length = std::max(0.0, length + change);
                EXPECT_GE(fit.cost(lengths, {}), least * (1 - 1e-12));
                length = kept;
            }
    }
}

TEST(DelayFit, ABoundedLossIgnoresWhatFitsNoTree) {
    const Topology truth = sim::random_topology(30, sim::TreeShape::two_levels, 5);
    RttMatrix matrix = noisy_matrix(truth, 0, 1);
    matrix.weigh_relatively();
    for (const std::size_t host : {3U, 9U, 20U})
        matrix.set(host, host + 4, 20 * matrix.rtt_us(host, host + 4), matrix.weight(host, host + 4));
    Topology squares = truth, bounded = truth;
    (void)fit_delays(squares, matrix);
    (void)fit_delays(bounded, matrix, Loss{1});
    double worst_by_squares = 0;
    for (std::size_t link = 0; link < truth.links.size(); ++link) {
        const auto error = [&](const Topology& fitted) {
            return std::fabs((fitted.links[link].delay - truth.links[link].delay).count());
        };
        worst_by_squares = std::max(worst_by_squares, error(squares));
        EXPECT_LT(error(bounded), 0.02 * truth.links[link].delay.count());
    }
    EXPECT_GT(worst_by_squares, 10);
}

// Of a = (ab + ac - bc) / 2: the variance is a quarter of the sum.
TEST(DelayErrors, OfThreeHostsAreThoseOfTheirSums) {
    RttMatrix matrix({"a", "b", "c"});
    matrix.set(0, 1, 10, 1);
    matrix.set(0, 2, 10, 1.0 / 4);
    matrix.set(1, 2, 10, 1.0 / 9);
    Topology tree = star_of_three();
    set_standard_errors(tree, matrix);
    for (const TopologyLink& link : tree.links)
        EXPECT_NEAR(link.standard_error.count(), std::sqrt(14.0) / 4, 1e-9);
}

TEST(DelayErrors, AreTheSpreadOfFitsOfNoisyRoundTrips) {
    const Topology truth = sim::random_topology(16, sim::TreeShape::deep, 2);
    double squares = 0;
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const RttMatrix matrix = noisy_matrix(truth, 0.002, seed);
        Topology fitted = truth;
        (void)fit_delays(fitted, matrix);
        set_standard_errors(fitted, matrix);
        for (std::size_t link = 0; link < truth.links.size(); ++link, ++count)
            squares += std::pow(
                (fitted.links[link].delay - truth.links[link].delay) / fitted.links[link].standard_error, 2);
    }
    EXPECT_NEAR(squares / static_cast<double>(count), 1, 0.15);
}

TEST(DelayErrors, WhatCannotBeToldCountsAsKnown) {
    RttMatrix matrix({"a", "b"});
    matrix.set(0, 1, 10, 4);
    Topology tree{{"a", "b"}, {"s"}, {{0, 2, Delay{1}}, {2, 1, Delay{1}}}};
    set_standard_errors(tree, matrix);
    EXPECT_NEAR(tree.links[0].standard_error.count(), 0.25, 1e-9);
    EXPECT_EQ(tree.links[1].standard_error.count(), 0);
}

// Against sums over the paths themselves.
TEST(PathSums, AreThoseOfThePaths) {
    const Topology tree = sim::random_topology(12, sim::TreeShape::any, 8);
    const PathSums paths(tree.node_count(), tree.links, noisy_matrix(tree, 0.1, 1));
    ASSERT_EQ(paths.pairs().size(), 66u);
    std::vector<double> of_pairs, of_links;
    for (std::size_t pair = 0; pair < paths.pairs().size(); ++pair)
        of_pairs.push_back(1 + static_cast<double>(pair));
    const std::vector<double> both = paths.across_both(of_pairs);
    paths.across(of_pairs, of_links);
    const std::size_t count = tree.links.size();
    std::vector<double> one_link(count), crossed;
    std::vector<std::vector<double>> crossings;
    for (std::size_t link = 0; link < count; ++link) {
        one_link[link] = 1;
        paths.along(one_link, crossed);
        crossings.push_back(crossed);
        one_link[link] = 0;
    }
    for (std::size_t link = 0; link < count; ++link) {
        double sum = 0;
        for (std::size_t pair = 0; pair < of_pairs.size(); ++pair)
            sum += crossings[link][pair] * of_pairs[pair];
        EXPECT_DOUBLE_EQ(of_links[link], sum);
        for (std::size_t other = 0; other < count; ++other) {
            double shared = 0;
            for (std::size_t pair = 0; pair < of_pairs.size(); ++pair)
                shared += crossings[link][pair] * crossings[other][pair] * of_pairs[pair];
            EXPECT_NEAR(both[link * count + other], shared, 1e-9);
        }
    }
}

}  // namespace
}  // namespace trellis::plugins::infer
