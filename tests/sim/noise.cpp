#include "tests/sim/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trellis::sim {
namespace {

double unit_interval(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11) + 1) * 0x1p-53;
}

// The generator SplitMix64 (Steele, Lea and Flood, 2014), as a hash.
std::uint64_t mix(std::uint64_t bits) {
    bits += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
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
    const std::uint64_t pair = mix(mix(seed_) ^ (std::uint64_t{low} << 32 | high));
    const double radius = std::sqrt(-2 * std::log(unit_interval(pair)));
    return radius * std::cos(2 * std::numbers::pi * unit_interval(mix(pair))) * profile.pair_offset_sd;
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
