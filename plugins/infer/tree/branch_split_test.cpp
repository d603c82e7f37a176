#include "plugins/infer/tree/branch_split.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// Branches of 1 to `most_hosts` hosts with y(b) + y(c) between them, noise of one pair, and a link between
// the first `far` branches and the others.
class BranchMaker {
  public:
    explicit BranchMaker(std::uint64_t seed) : random_(seed) {}

    BranchMeans make(std::size_t count, std::size_t most_hosts, double sigma, std::size_t far = 0,
                     double link = 0) {
        BranchMeans means{{}, std::vector<double>(count * count, 0)};
        std::vector<double> y;
        for (std::size_t b = 0; b < count; ++b) {
            means.hosts.push_back(static_cast<double>(1 + random_() % most_hosts));
            y.push_back(std::uniform_real_distribution(0.0, 200.0)(random_));
        }
        for (std::size_t b = 0; b < count; ++b)
            for (std::size_t c = b + 1; c < count; ++c) {
                const double pairs = means.hosts[b] * means.hosts[c];
                const double noise = sigma / std::sqrt(pairs) * normal_(random_);
                means.at(b, c) = means.at(c, b) = y[b] + y[c] + noise + ((b < far) != (c < far) ? link : 0);
            }
        return means;
    }
    std::vector<bool> sides(std::size_t count) {
        std::vector<bool> second(count);
        do {
            for (std::size_t b = 0; b < count; ++b)
                second[b] = random_() % 2 == 1;
        } while (std::ranges::count(second, true) < 2 || std::ranges::count(second, false) < 2);
        return second;
    }

  private:
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
};

// The sums of the header, pair by pair.
struct PlainSplit {
    double length = 0, variance = 0;
};
PlainSplit plain_split(const BranchMeans& means, const std::vector<bool>& second, double sigma) {
    const std::size_t p = means.count();
    double hosts[2] = {0, 0}, pairs[2] = {0, 0};
    for (std::size_t b = 0; b < p; ++b) {
        hosts[second[b] ? 1 : 0] += means.hosts[b];
        for (std::size_t c = 0; c < b; ++c)
            if (second[b] == second[c]) pairs[second[b] ? 1 : 0] += means.hosts[b] * means.hosts[c];
    }
    const auto part = [&](std::size_t b) {
        const int side = second[b] ? 1 : 0;
        return means.hosts[b] * (hosts[side] - means.hosts[b]) / (2 * pairs[side]);
    };
    PlainSplit result;
    for (std::size_t b = 0; b < p; ++b)
        for (std::size_t c = 0; c < b; ++c) {
            const double both = means.hosts[b] * means.hosts[c];
            const double weight =
                second[b] == second[c] ? -both / pairs[second[b] ? 1 : 0] / 2 : part(b) * part(c);
            result.length += weight * means.at(b, c);
            result.variance += weight * weight * sigma * sigma / both;
        }
    return result;
}

TEST(BranchSplit, SumsAgreeWithTheFormulaPairByPair) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        BranchMaker maker(seed);
        const std::size_t count = 4 + seed % 20;
        const BranchMeans means = maker.make(count, 1 + seed % 9, 3);
        const std::vector<bool> second = maker.sides(count);
        const PlainSplit plain = plain_split(means, second, 1.7);
        const Split split = weigh_split(means, second, 1.7);
        EXPECT_NEAR(split.length, plain.length, 1e-8) << "seed " << seed;
        EXPECT_NEAR(split.standard_error, std::sqrt(plain.variance), 1e-9) << "seed " << seed;
        EXPECT_EQ(split.second, second);
    }
}

TEST(BranchSplit, TheLengthIsThatOfTheLinkWhateverTheBranchesHave) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        BranchMaker maker(seed);
        const std::size_t count = 4 + seed % 30, far = 2 + seed % (count - 3);
        BranchMeans means = maker.make(count, 7, 0, far, 12.5);
        std::vector<bool> second(count, true);
        std::fill_n(second.begin(), far, false);
        EXPECT_NEAR(weigh_split(means, second, 1).length, 12.5, 1e-9) << "seed " << seed;
        const PlainSplit before = plain_split(means, second, 1);
        means.centre();
        EXPECT_NEAR(weigh_split(means, second, 1).length, before.length, 1e-9) << "seed " << seed;
    }
}

TEST(BranchSplit, CentringTakesOffAllThatBranchesHaveOfTheirOwn) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        BranchMeans means = BranchMaker(seed).make(3 + seed % 30, 9, 0);
        means.centre();
        for (const double rest : means.mean)
            EXPECT_NEAR(rest, 0, 1e-6) << "seed " << seed;
    }
}

TEST(BranchSplit, FindsThePlantedSplit) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const std::size_t count = 4 + seed % 60, far = 2 + (seed * 7) % (count - 3);
        BranchMeans means = BranchMaker(seed).make(count, 1 + seed % 5, 1, far, 25);
        means.centre();
        const std::optional<Split> split = best_split(means, 1);
        ASSERT_TRUE(split);
        for (std::size_t b = 0; b < count; ++b)
            EXPECT_EQ(split->second[b] == split->second[0], b < far) << "seed " << seed << ", branch " << b;
        EXPECT_NEAR(split->length, 25, 5 * split->standard_error);
        EXPECT_GT(split->evidence(), -std::log(0.01)) << "seed " << seed;
    }
}

TEST(BranchSplit, FindsALinkFarShorterThanTheNoiseOfAPair) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        BranchMeans means = BranchMaker(seed).make(64, 1, 3, 32, 2);
        means.centre();
        const std::optional<Split> split = best_split(means, 3);
        ASSERT_TRUE(split);
        EXPECT_GT(split->evidence(), -std::log(0.01)) << "seed " << seed;
        std::ptrdiff_t wrong = 0;
        for (std::size_t b = 0; b < 64; ++b)
            wrong += split->second[b] == (b < 32) ? 1 : 0;
        EXPECT_LE(std::min(wrong, 64 - wrong), 4) << "seed " << seed;
    }
}

TEST(BranchSplit, NoiseAloneIsNoEvidence) {
    double most = -1e9;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        BranchMeans means = BranchMaker(seed).make(4 + seed % 29, 1 + seed % 6, 2);
        means.centre();
        const double evidence = best_split(means, 2)->evidence();
        EXPECT_LT(evidence, -std::log(0.01)) << "seed " << seed;
        most = std::max(most, evidence);
    }
    EXPECT_GT(most, -10);  // the bound is not far from what it bounds
}

TEST(BranchSplit, ThreeBranchesCannotBeTwoSwitches) {
    EXPECT_FALSE(best_split(BranchMaker(1).make(3, 4, 1), 1));
}

TEST(BranchSplit, ALinkOfNoLengthGainsNothing) {
    const Split split{{}, -5, 1, 2};
    EXPECT_EQ(split.gain(-5), 0);
    EXPECT_EQ(split.evidence(), -2);
    EXPECT_GT(split.gain(2), split.gain(1));
}

}  // namespace
}  // namespace trellis::plugins::infer
