#include "plugins/infer/survey/cluster_sweep.hpp"

#include "tests/sim/source_networks.hpp"
#include "tests/sim/survey_answers.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

using Groups = std::vector<std::vector<HostNumber>>;
using RoundTrip = std::function<std::optional<double>(HostNumber, HostNumber)>;

// What is found where two hosts are that far from one another, or do not answer.
Groups sweep(std::size_t hosts, std::uint64_t seed, const RoundTrip& rtt_us) {
    std::vector<HostNumber> all(hosts);
    std::iota(all.begin(), all.end(), HostNumber{0});
    ClusterSweep sweep(all, hosts, seed);
    while (const std::optional<Batch> batch = sweep.next()) {
        std::vector<PairSample> samples;
        for (HostNumber host = 0; host < hosts; ++host)
            for (const Turn& turn : batch->turns[host])
                if (const auto rtt = turn.measures ? rtt_us(host, turn.peer) : std::nullopt)
                    samples.push_back({host, turn.peer, *rtt, 0});
        sweep.take(samples);
    }
    return sweep.clusters();
}

// `sizes` of clusters whose hosts have consecutive numbers, 80 us inside and 3 ms between.
Groups sweep_clusters(const std::vector<std::size_t>& sizes, std::uint64_t seed) {
    std::vector<std::size_t> cluster;
    for (std::size_t c = 0; c < sizes.size(); ++c)
        cluster.insert(cluster.end(), sizes[c], c);
    return sweep(cluster.size(), seed,
                 [&](HostNumber a, HostNumber b) { return cluster[a] == cluster[b] ? 80.0 : 3000.0; });
}

Groups sorted(Groups groups) {
    std::ranges::sort(groups);
    return groups;
}

TEST(ClusterSweep, FindsClustersOfAnySize) {
    for (const std::vector<std::size_t>& sizes : std::vector<std::vector<std::size_t>>{
             {5, 1}, {3, 3}, {64, 64, 64, 64}, {60, 2, 1, 1}, {20, 10, 5, 2}, {100}, {40, 40, 1}}) {
        Groups expected;
        HostNumber next = 0;
        for (const std::size_t size : sizes) {
            expected.emplace_back(size);
            std::iota(expected.back().begin(), expected.back().end(), next);
            next += static_cast<HostNumber>(size);
        }
        for (std::uint64_t seed = 1; seed <= 50; ++seed)
            EXPECT_EQ(sorted(sweep_clusters(sizes, seed)), expected)
                << "seed " << seed << ", first of " << sizes.front();
    }
}

TEST(ClusterSweep, FindsTheClustersOfTheSource) {
    const sim::NoisyNetwork network = sim::four_clusters(64);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        sim::SurveyAnswers answers(network, seed);
        const Groups groups = sweep(256, seed, [&](HostNumber a, HostNumber b) {
            return answers.measure(a, b, {.sets = 1, .round_trips = 3}).rtt_us;
        });
        ASSERT_EQ(groups.size(), 4u) << "seed " << seed;
        for (const std::vector<HostNumber>& group : groups) {
            EXPECT_EQ(group.size(), 64u);
            for (const HostNumber host : group)
                EXPECT_EQ(network.cluster[host], network.cluster[group.front()]) << "seed " << seed;
        }
    }
}

TEST(ClusterSweep, TheGreatestComesFirst) {
    const Groups groups = sweep_clusters({3, 20, 8}, 1);
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].size(), 20u);
    EXPECT_EQ(groups[1].size(), 8u);
}

TEST(ClusterSweep, RoundTripsWithoutAGapAreOneCluster) {
    const Groups groups =
        sweep(30, 1, [](HostNumber a, HostNumber b) { return 80.0 + 100.0 * (a % 3 + b % 3); });
    EXPECT_EQ(groups.size(), 1u);
}

TEST(ClusterSweep, NobodyOrEqualOrNoRoundTripsAreOneCluster) {
    EXPECT_EQ(sweep(30, 1, [](HostNumber, HostNumber) { return std::nullopt; }).size(), 1u);
    EXPECT_EQ(sweep(30, 1, [](HostNumber, HostNumber) { return 0.0; }).size(), 1u);
    EXPECT_EQ(sweep(30, 1, [](HostNumber, HostNumber) { return 1e12; }).size(), 1u);
}

TEST(ClusterSweep, FewHostsAreNotLookedAt) {
    for (std::size_t hosts = 1; hosts <= 3; ++hosts) {
        const Groups groups = sweep(hosts, 1, [](HostNumber, HostNumber) {
            ADD_FAILURE() << "measured";
            return 0.0;
        });
        ASSERT_EQ(groups.size(), 1u);
        EXPECT_EQ(groups[0].size(), hosts);
    }
}

TEST(ClusterSweep, SurvivesPairsThatDoNotAnswer) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto rtt = [](HostNumber a, HostNumber b) -> std::optional<double> {
            if ((a * 31 + b * 17) % 5 == 0) return std::nullopt;
            return (a < 40) == (b < 40) ? 80.0 : 3000.0;
        };
        const Groups groups = sweep(80, seed, rtt);
        ASSERT_EQ(groups.size(), 2u) << "seed " << seed;
        EXPECT_EQ(groups[0].size(), 40u) << "seed " << seed;
    }
}

TEST(ClusterSweep, AsksEachHostFewPairs) {
    std::vector<HostNumber> all(256);
    std::iota(all.begin(), all.end(), HostNumber{0});
    ClusterSweep sweep(all, 256, 3);
    const std::optional<Batch> batch = sweep.next();
    ASSERT_TRUE(batch);
    for (const std::vector<Turn>& turns : batch->turns)
        EXPECT_LE(turns.size(), 16u);
}

TEST(ClusterSweep, EqualSeedsAskEqualPairs) {
    std::vector<HostNumber> all(100);
    std::iota(all.begin(), all.end(), HostNumber{0});
    const auto turns = [&](std::uint64_t seed) { return ClusterSweep(all, 100, seed).next()->turns; };
    EXPECT_EQ(turns(7), turns(7));
    EXPECT_NE(turns(7), turns(8));
}

}  // namespace
}  // namespace trellis::plugins::infer
