#include "plugins/infer/survey/wide_area.hpp"

#include "plugins/infer/survey/inference_result.hpp"
#include "tests/sim/network_sketch.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/survey_answers.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

using sim::NetworkSketch;
using sim::NoisyNetwork;

// The clusters of a network, each solved by itself.
std::vector<SolvedCluster> solved_clusters(const NoisyNetwork& network, sim::SurveyAnswers& answers) {
    std::vector<SolvedCluster> clusters;
    for (std::size_t c = 0; c < network.profile.size(); ++c) {
        std::vector<HostNumber> hosts;
        for (HostNumber host = 0; host < network.cluster.size(); ++host)
            if (network.cluster[host] == c) hosts.push_back(host);
        PairTable table(hosts.size());
        for (std::size_t a = 0; a < hosts.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) {
                const PairSample sample = answers.measure(hosts[a], hosts[b]);
                table.add(a, b, sample.rtt_us, sample.spread_us);
            }
        clusters.push_back({std::move(hosts), solve_tree(table, {})});
    }
    return clusters;
}

std::vector<PairSample> samples_between(std::span<const SolvedCluster> clusters, std::size_t most,
                                        sim::SurveyAnswers& answers) {
    const auto chosen = [&](const SolvedCluster& cluster) {
        return cluster.hosts.size() == 1 ? cluster.hosts : representatives(cluster, most);
    };
    std::vector<PairSample> samples;
    for (std::size_t c = 0; c < clusters.size(); ++c)
        for (std::size_t d = 0; d < c; ++d)
            for (const HostNumber a : chosen(clusters[c]))
                for (const HostNumber b : chosen(clusters[d]))
                    samples.push_back(answers.measure(a, b));
    return samples;
}

Topology joined(const NoisyNetwork& network, std::span<const SolvedCluster> clusters,
                std::span<const PairSample> samples) {
    const std::vector<std::string>& names = network.truth.hosts;
    return describe(join_clusters(clusters, samples, names.size(), 0.99), clusters, names).topology;
}

Topology infer_exactly(NoisyNetwork network) {
    network.between = sim::no_noise;
    sim::SurveyAnswers answers(network, 1);
    const std::vector<SolvedCluster> clusters = solved_clusters(network, answers);
    return joined(network, clusters, samples_between(clusters, 16, answers));
}

void add_hosts(NetworkSketch& sketch, const std::string& name, std::size_t count, std::size_t at) {
    for (std::size_t i = 0; i < count; ++i)
        sketch.add_host(name + std::to_string(i), at, sketch.around(Delay{20}));
}

// Clusters of one switch each at one router.
NoisyNetwork around_a_router(const std::vector<std::size_t>& sizes) {
    NetworkSketch sketch(3);
    const std::size_t router = sketch.add_switch("router");
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        sketch.add_cluster(sim::no_noise);
        const std::size_t at = sketch.add_switch("switch" + std::to_string(c));
        sketch.join(at, router, sketch.around(Delay{1000}));
        add_hosts(sketch, std::string(1, static_cast<char>('a' + c)), sizes[c], at);
    }
    return sketch.build();
}

void expect_exact(const NoisyNetwork& network, const std::string& what) {
    const Topology found = infer_exactly(network);
    ASSERT_EQ(sim::difference(network.truth, found), "") << what;
    EXPECT_LE(sim::largest_error(network.truth, found), Delay{0.05}) << what;
}

TEST(WideArea, JoinsTheClustersOfTheSource) {
    NoisyNetwork network = sim::four_clusters(32);
    network.clock_step = Duration{1};
    network.profile.assign(4, sim::no_noise);
    expect_exact(network, "source");
}

TEST(WideArea, JoinsClustersOfAnySize) {
    for (const std::vector<std::size_t>& sizes : std::vector<std::vector<std::size_t>>{
             {8, 8}, {1, 5}, {5, 1}, {1, 1}, {2, 2}, {1, 1, 1}, {6, 1, 4}, {1, 1, 1, 1}, {12, 9, 7, 5, 3}})
        expect_exact(around_a_router(sizes), testing::PrintToString(sizes));
}

// Its way out hangs between its two switches, where none of its own pairs shows a switch.
TEST(WideArea, FindsTheSwitchInTheMiddleOfALink) {
    NetworkSketch sketch(5);
    for (int i = 0; i < 4; ++i)
        sketch.add_switch("switch" + std::to_string(i));
    sketch.join(0, 2, Delay{8});
    sketch.join(1, 2, Delay{5});
    sketch.join(3, 2, Delay{1500});
    sketch.add_cluster(sim::no_noise);
    add_hosts(sketch, "a", 6, 0);
    add_hosts(sketch, "b", 6, 1);
    sketch.add_cluster(sim::no_noise);
    add_hosts(sketch, "c", 6, 3);
    expect_exact(sketch.build(), "middle");
}

// Two clusters hang at a switch that carries the hosts of a third one.
TEST(WideArea, ASwitchOfAClusterMayBeTheRouter) {
    NetworkSketch sketch(7);
    for (const char* name : {"x", "y", "z"}) {
        sketch.add_cluster(sim::no_noise);
        const std::size_t at = sketch.add_switch(std::string("switch-") + name);
        if (at > 0) sketch.join(at, 0, sketch.around(Delay{900}));
        add_hosts(sketch, name, 6, at);
    }
    expect_exact(sketch.build(), "router with hosts");
}

TEST(WideArea, FindsAShortLinkBetweenRoutersInTheNoiseOfAWideAreaNetwork) {
    const NoisyNetwork network = sim::four_clusters(32);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        sim::SurveyAnswers answers(network, seed);
        const std::vector<SolvedCluster> clusters = solved_clusters(network, answers);
        const Topology found = joined(network, clusters, samples_between(clusters, 16, answers));
        ASSERT_TRUE(validate(found)) << "seed " << seed;
        const std::vector<std::string> one_of_each{"a03", "b03", "c03", "d03"};
        EXPECT_EQ(sim::difference(*project(network.truth, one_of_each), *project(found, one_of_each)), "")
            << "seed " << seed;
    }
}

// Queues between two clusters delay all their pairs alike, for a while, by some microseconds in milliseconds.
TEST(WideArea, WhatAllPairsOfTwoClustersHaveInCommonMakesNoLink) {
    NoisyNetwork network = around_a_router({16, 16, 16, 16});
    network.between.pair_offset_sd = Delay{6};
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        sim::SurveyAnswers answers(network, seed);
        const std::vector<SolvedCluster> clusters = solved_clusters(network, answers);
        std::vector<PairSample> samples = samples_between(clusters, 16, answers);
        std::mt19937_64 random(seed);
        std::vector<double> shift(network.profile.size() * network.profile.size());
        for (double& one : shift)
            one = std::uniform_real_distribution<double>(-4, 4)(random);
        for (PairSample& sample : samples) {
            const auto [c, d] = std::minmax(network.cluster[sample.a], network.cluster[sample.b]);
            sample.rtt_us += shift[c * network.profile.size() + d];
        }
        const Topology found = joined(network, clusters, samples);
        EXPECT_EQ(sim::difference(network.truth, found), "") << "seed " << seed;
        EXPECT_TRUE(found.meshes.empty()) << "seed " << seed;
    }
}

TEST(WideArea, AWildPairBetweenClustersDoesNotChangeTheTree) {
    const NoisyNetwork network = [] {
        NoisyNetwork made = around_a_router({8, 8, 8, 8});
        made.between = sim::no_noise;
        return made;
    }();
    sim::SurveyAnswers answers(network, 1);
    const std::vector<SolvedCluster> clusters = solved_clusters(network, answers);
    std::vector<PairSample> samples = samples_between(clusters, 16, answers);
    for (std::size_t wild = 0; wild < samples.size(); wild += 37) {
        const double before = samples[wild].rtt_us;
        samples[wild].rtt_us += wild % 2 == 0 ? 1e3 : 1e5;
        EXPECT_EQ(sim::difference(network.truth, joined(network, clusters, samples)), "") << wild;
        samples[wild].rtt_us = before;
    }
}

TEST(WideArea, ClustersWithoutAMeasuredPairAreJoinedAllTheSame) {
    for (const std::vector<std::size_t>& sizes :
         std::vector<std::vector<std::size_t>>{{4, 4}, {1, 1}, {1, 3}, {4, 4, 4}, {1, 1, 1, 5}}) {
        const NoisyNetwork network = around_a_router(sizes);
        sim::SurveyAnswers answers(network, 1);
        const std::vector<SolvedCluster> clusters = solved_clusters(network, answers);
        const Topology found = joined(network, clusters, {});
        EXPECT_TRUE(validate(found)) << testing::PrintToString(sizes);
        EXPECT_EQ(found.hosts, network.truth.hosts);
    }
}

TEST(WideArea, RepresentativesComeFromEachSwitchInTurn) {
    NoisyNetwork network = sim::one_cluster(64);
    network.throttled = {0};
    sim::SurveyAnswers answers(network, 1);
    const SolvedCluster cluster = solved_clusters(network, answers).front();
    const std::vector<HostNumber> four = representatives(cluster, 4);
    std::vector<HostNumber> switches;
    switches.reserve(four.size());
    for (const HostNumber host : four)
        switches.push_back(host / 16);
    std::ranges::sort(switches);
    EXPECT_EQ(switches, (std::vector<HostNumber>{0, 1, 2, 3}));
    std::vector<HostNumber> all = representatives(cluster, 100);
    std::ranges::sort(all);
    EXPECT_EQ(all.size(), 63u);
    EXPECT_EQ(all.front(), 1u);  // the noisy one stands for nobody
}

}  // namespace
}  // namespace trellis::plugins::infer
