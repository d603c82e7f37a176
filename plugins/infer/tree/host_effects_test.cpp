#include "plugins/infer/tree/host_effects.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// All pairs of two groups of 20 hosts; each pair errs by about `pair`, each host by about `host` towards the
// other group.
std::vector<PairRest> erring_pairs(double pair, double host, std::mt19937& random) {
    constexpr std::uint32_t each = 20;
    std::normal_distribution<double> normal;
    std::vector<double> of_host(2 * each);
    for (double& error : of_host)
        error = host * normal(random);
    std::vector<PairRest> rests;
    for (std::uint32_t a = 0; a < each; ++a)
        for (std::uint32_t b = each; b < 2 * each; ++b)
            rests.push_back({a, b, 5 + of_host[a] + of_host[b] + pair * normal(random)});
    return rests;
}

TEST(HostEffects, TellErrorsOfHostsFromThoseOfPairs) {
    std::mt19937 random(7);
    for (const double host : {0.0, 0.5, 2.0}) {
        HostEffects effects;
        for (int groups = 0; groups < 10; ++groups)
            effects.add(erring_pairs(1, host, random));
        EXPECT_NEAR(std::sqrt(effects.of_pair()), 1, 0.05) << host;
        EXPECT_NEAR(std::sqrt(effects.of_host()), host, host == 0 ? 0.1 : 0.1 * host) << host;
        EXPECT_EQ(effects.excess() > 6, host > 0) << host;
    }
}

TEST(HostEffects, OfHostsThatHaveOnePairEachCannotBeTold) {
    HostEffects effects;
    effects.add(std::vector<PairRest>{{0, 1, 3}, {2, 3, 5}, {4, 5, 4}});
    effects.add(std::vector<PairRest>{{0, 3, 1}});
    EXPECT_EQ(effects.of_host(), 0);
    EXPECT_DOUBLE_EQ(effects.of_pair(), 1);
    EXPECT_EQ(effects.excess(), 0);
}

// So much does a mean over few hosts owe to each of them.
TEST(HostEffects, GoIntoAMeanByTheNumberOfHosts) {
    std::mt19937 random(1);
    HostEffects effects;
    EXPECT_DOUBLE_EQ(effects.add(erring_pairs(1, 1, random)), 1.0 / 20 + 1.0 / 20);
    EXPECT_DOUBLE_EQ(effects.add(std::vector<PairRest>{{0, 1, 3}, {0, 2, 5}, {0, 3, 5}, {0, 4, 5}}),
                     1 + 0.25);
}

}  // namespace
}  // namespace trellis::plugins::infer
