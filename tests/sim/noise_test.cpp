#include "tests/sim/noise.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

constexpr int samples = 200'000;

struct Moments {
    double mean = 0;
    double sd = 0;
};

Moments moments(const std::vector<double>& values) {
    Moments result;
    for (const double value : values)
        result.mean += value / static_cast<double>(values.size());
    for (const double value : values)
        result.sd += (value - result.mean) * (value - result.mean) / static_cast<double>(values.size());
    result.sd = std::sqrt(result.sd);
    return result;
}

// Samples of one pair, without the path and the pair's offset.
std::vector<double> excess(RoundTripNoise& noise, const NoiseProfile& profile) {
    const Delay fixed = Delay{10'000} + noise.pair_offset(profile, 1, 2);
    std::vector<double> values(samples);
    for (double& value : values)
        value = (noise.sample(profile, 1, 2, Delay{10'000}) - fixed).count();
    return values;
}

NoiseProfile without_outliers(NoiseProfile profile) {
    profile.outlier_probability = 0;
    return profile;
}

TEST(Noise, BodiesHaveTheirGammaMoments) {
    for (const NoiseProfile& profile :
         {lan_noise, lan_tight_noise, wan_noise, wan_rough_noise, virtual_machine_noise}) {
        RoundTripNoise noise(1);
        const Moments found = moments(excess(noise, without_outliers(profile)));
        const double mean = profile.body_mean.count();
        EXPECT_NEAR(found.mean, mean, 0.02 * mean) << profile.name;
        EXPECT_NEAR(found.sd, mean / std::sqrt(profile.body_shape), 0.02 * mean) << profile.name;
    }
}

TEST(Noise, ExponentialOutliersShiftTheMean) {
    for (const NoiseProfile& profile : {lan_noise, lan_tight_noise, virtual_machine_noise}) {
        RoundTripNoise noise(2);
        const double expected =
            profile.body_mean.count() + profile.outlier_probability * profile.outlier_scale.count();
        EXPECT_NEAR(moments(excess(noise, profile)).mean, expected, 0.05 * expected) << profile.name;
    }
}

TEST(Noise, ParetoOutliersHaveTheirTail) {
    for (const NoiseProfile& profile : {wan_noise, wan_rough_noise}) {
        RoundTripNoise noise(3);
        const auto values = excess(noise, profile);
        for (const double factor : {3.0, 10.0}) {  // P(outlier > factor x scale) = factor ^ -shape
            const double limit = factor * profile.outlier_scale.count() + profile.body_mean.count();
            const double share =
                static_cast<double>(std::ranges::count_if(values, [&](double v) { return v > limit; })) /
                samples;
            const double expected = profile.outlier_probability * std::pow(factor, -profile.outlier_shape);
            EXPECT_NEAR(share, expected, 0.15 * expected) << profile.name;
        }
    }
}

TEST(Noise, PairOffsetsAreNormalAndFixed) {
    const NoiseProfile profile = systematic_noise(Delay{5});
    const RoundTripNoise noise(4), same(4), other(5);
    std::vector<double> offsets;
    for (std::uint32_t a = 0; a < 200; ++a)
        for (std::uint32_t b = 0; b < a; ++b)
            offsets.push_back(noise.pair_offset(profile, a, b).count());
    const Moments found = moments(offsets);
    EXPECT_NEAR(found.mean, 0, 0.15);
    EXPECT_NEAR(found.sd, 5, 0.1);
    const auto within = std::ranges::count_if(offsets, [](double offset) { return std::abs(offset) < 5; });
    EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(offsets.size()), 0.683, 0.015);
    EXPECT_EQ(noise.pair_offset(profile, 3, 9), noise.pair_offset(profile, 9, 3));
    EXPECT_EQ(noise.pair_offset(profile, 3, 9), same.pair_offset(profile, 3, 9));
    EXPECT_NE(noise.pair_offset(profile, 3, 9), other.pair_offset(profile, 3, 9));
    EXPECT_NE(noise.pair_offset(profile, 3, 9), noise.pair_offset(profile, 3, 8));
}

TEST(Noise, AThrottledInterfaceSpreadsEvenly) {
    RoundTripNoise noise(6);
    noise.throttle(2);
    const auto values = excess(noise, lan_noise);
    EXPECT_GE(std::ranges::min(values), 0);
    EXPECT_LE(std::ranges::max(values), 550);
    EXPECT_NEAR(moments(values).mean, 275, 2);
    EXPECT_NEAR(moments(values).sd, 550 / std::sqrt(12), 2);
}

TEST(Noise, NoneIsThePathItself) {
    RoundTripNoise noise(7);
    EXPECT_EQ(noise.sample(no_noise, 1, 2, Delay{80}), Delay{80});
}

TEST(Noise, IsRepeatable) {
    RoundTripNoise one(8), two(8);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(one.sample(wan_noise, 1, 2, Delay{80}), two.sample(wan_noise, 1, 2, Delay{80}));
}

}  // namespace
}  // namespace trellis::sim
