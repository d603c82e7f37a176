#include "tests/sim/infer_score.hpp"

#include "agentd/model/topology_query.hpp"
#include "tests/sim/infer_families.hpp"
#include "tests/sim/network_sketch.hpp"

#include <string>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

// Four clusters of three hosts on one switch each; joined in two pairs as told, by the clusters' numbers.
NoisyNetwork paired(std::vector<std::size_t> at_router) {
    NetworkSketch sketch;
    const std::size_t routers[] = {sketch.add_switch("west"), sketch.add_switch("east")};
    sketch.join(routers[0], routers[1], Delay{5});
    for (std::size_t i = 0; i < 4; ++i) {
        sketch.add_cluster(lan_noise);
        const std::size_t at = sketch.add_switch("switch" + std::to_string(i));
        sketch.join(at, routers[at_router[i]], Delay{1000});
        for (std::size_t host = 0; host < 3; ++host)
            sketch.add_host("h" + std::to_string(i) + std::to_string(host), at, Delay{20});
    }
    return sketch.build();
}

InferScore score(const NoisyNetwork& network, const Topology& inferred) {
    return score_inference(network, inferred, 1000, 1);
}

TEST(InferScoring, TheTruthIsRightInEverything) {
    const NoisyNetwork network = paired({0, 0, 1, 1});
    const InferScore found = score(network, network.truth);
    EXPECT_TRUE(found.exact && found.exact_inside && found.apart && found.joined_rightly &&
                found.others_exact);
    EXPECT_FALSE(found.says_mesh);
    EXPECT_EQ(found.leaves, 4u);
    EXPECT_EQ(found.exact_leaves, 4u);
    EXPECT_EQ(found.sharing + found.not_sharing, 1000u);
    EXPECT_GT(found.sharing, 100u);
    EXPECT_GT(found.not_sharing, 100u);
    EXPECT_EQ(found.false_positives + found.false_negatives + found.unknown + found.missing, 0u);
}

TEST(InferScoring, WrongPairsOfClustersAreExactInsideOnly) {
    const InferScore found = score(paired({0, 0, 1, 1}), paired({0, 1, 0, 1}).truth);
    EXPECT_TRUE(found.exact_inside);
    EXPECT_TRUE(found.apart);
    EXPECT_FALSE(found.joined_rightly);
    EXPECT_FALSE(found.exact);
    EXPECT_GT(found.false_positives + found.false_negatives, 0u);
}

TEST(InferScoring, AHostInAnotherClusterMixesThem) {
    const NoisyNetwork network = paired({0, 0, 1, 1});
    Topology mixed = network.truth;
    std::swap(mixed.links[0].b, mixed.links[11].b);
    const InferScore found = score(network, mixed);
    EXPECT_FALSE(found.apart);
    EXPECT_FALSE(found.joined_rightly);
    EXPECT_EQ(found.exact_leaves, 2u);
}

TEST(InferScoring, ThrottledHostsMayBeAnywhere) {
    NoisyNetwork network = paired({0, 0, 1, 1});
    network.throttled = {0};
    Topology inferred = network.truth;
    inferred.links[0].b = inferred.links[11].b;
    EXPECT_TRUE(score(network, inferred).others_exact);
    network.throttled = {1};
    EXPECT_FALSE(score(network, inferred).others_exact);
}

TEST(InferScoring, WhatIsMissingIsNotExact) {
    const NoisyNetwork network = lan_of_four_switches(1);
    std::vector<std::string> some = network.truth.hosts;
    some.pop_back();
    const InferScore found = score(network, project(network.truth, some).value());
    EXPECT_EQ(found.missing, 1u);
    EXPECT_FALSE(found.exact);
    EXPECT_EQ(found.exact_leaves, 3u);
    EXPECT_EQ(found.false_positives + found.false_negatives, 0u);
}

}  // namespace
}  // namespace trellis::sim
