#include "plugins/infer/survey/cluster_distances.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// Pairs of all hosts of different clusters, 100 us apart; each errs by about 1 us, and each host towards each
// cluster by about `of_host`.
struct ErringClusters {
    std::vector<std::size_t> cluster_of;
    std::vector<PairSample> samples;

    ErringClusters(const std::vector<std::size_t>& sizes, double of_host, unsigned seed) {
        for (std::size_t c = 0; c < sizes.size(); ++c)
            cluster_of.insert(cluster_of.end(), sizes[c], c);
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        std::vector<double> error(cluster_of.size() * sizes.size());
        for (double& one : error)
            one = of_host * normal(random);
        for (HostNumber a = 0; a < cluster_of.size(); ++a)
            for (HostNumber b = 0; b < a; ++b)
                if (cluster_of[a] != cluster_of[b])
                    samples.push_back({a, b,
                                       100 + error[a * sizes.size() + cluster_of[b]] +
                                           error[b * sizes.size() + cluster_of[a]] + normal(random),
                                       0});
    }
    [[nodiscard]] ClusterDistances distances(std::size_t clusters) const {
        return cluster_distances(samples, cluster_of, std::vector<double>(cluster_of.size(), 0), clusters);
    }
};

TEST(ClusterDistances, AreMeansWithTheErrorOfAllPairs) {
    const ClusterDistances found = ErringClusters({16, 16, 16, 16}, 0, 3).distances(4);
    EXPECT_NEAR(found.mean.rtt(0, 3), 100, 0.3);
    EXPECT_NEAR(found.scatter_us, 1, 0.1);
    EXPECT_NEAR(found.error_us, 1.0 / 16, 0.03);
}

TEST(ClusterDistances, AreNoBetterThanTheirHosts) {
    const ClusterDistances found = ErringClusters({16, 16, 16, 16}, 3, 3).distances(4);
    EXPECT_NEAR(found.error_us, 3 * std::sqrt(2.0 / 16), 0.3);
}

TEST(ClusterDistances, AreNoBetterThanAShareOfTheRoundTrip) {
    ErringClusters clusters({16, 16, 16, 16}, 0, 3);
    for (PairSample& sample : clusters.samples)
        sample.rtt_us += 9900;
    EXPECT_GE(clusters.distances(4).error_us, 3);
}

TEST(ClusterDistances, OfAClusterWithFewHostsWeighLess) {
    const PairTable mean = ErringClusters({2, 16, 16, 16}, 0, 3).distances(4).mean;
    EXPECT_LT(mean.weight(0), 0.5 * mean.weight(1));
    EXPECT_NEAR(mean.weight(2), mean.weight(3), 0.01);
}

TEST(ClusterDistances, DoNotHeedAWildPair) {
    ErringClusters clusters({8, 8}, 0, 3);
    clusters.samples[5].rtt_us = 1e6;
    EXPECT_NEAR(clusters.distances(2).mean.rtt(0, 1), 100, 1);
}

}  // namespace
}  // namespace trellis::plugins::infer
