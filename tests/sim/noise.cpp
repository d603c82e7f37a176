#include "tests/sim/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trellis::sim {
namespace {

double unit_interval(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11) + 1) * 0x1p-53;
}

}  // namespace

double RoundTripNoise::uniform() {
    return unit_interval(random_());
}

Delay RoundTripNoise::exponential(Delay mean) {
    return -std::log(uniform()) * mean;
}

Delay RoundTripNoise::body(const NoiseProfile& profile) {
    Delay sum{0};
    for (int i = 0; i < profile.body_shape; ++i)
        sum += exponential(profile.body_mean / profile.body_shape);
    return sum;
}

Delay RoundTripNoise::outlier(const NoiseProfile& profile) {
    if (profile.outlier_tail == OutlierTail::exponential) return exponential(profile.outlier_scale);
    return profile.outlier_scale * std::pow(uniform(), -1 / profile.outlier_shape);
}

Delay RoundTripNoise::pair_offset(const NoiseProfile& profile, std::uint32_t a, std::uint32_t b) const {
    const auto [low, high] = std::minmax(a, b);
    std::seed_seq pair{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32), low, high};
    std::uint32_t bits[4];
    pair.generate(std::begin(bits), std::end(bits));
    const auto join = [](std::uint32_t upper, std::uint32_t lower) {
        return (std::uint64_t{upper} << 32) | lower;
    };
    const double radius = std::sqrt(-2 * std::log(unit_interval(join(bits[0], bits[1]))));
    return radius * std::cos(2 * std::numbers::pi * unit_interval(join(bits[2], bits[3]))) *
           profile.pair_offset_sd;
}

Delay RoundTripNoise::sample(const NoiseProfile& profile, std::uint32_t a, std::uint32_t b, Delay path_rtt) {
    Delay rtt = path_rtt + pair_offset(profile, a, b);
    if (throttled_.contains(a) || throttled_.contains(b)) {
        rtt += uniform() * throttled_spread;
    } else {
        rtt += body(profile);
        if (uniform() < profile.outlier_probability) rtt += outlier(profile);
    }
    return std::max(rtt, Delay{0});
}

}  // namespace trellis::sim
