// Noise of round-trip times, for simulations: what one sample takes beyond twice the path's delay. Seeded and
// repeatable. Owned by the simulation; it knows neither time nor network, and never sees the queues and the
// CPU cost that a simulated network adds.
//
//   sample = path RTT + pair offset (fixed for a pair, normal, mean 0) + body + (now and then) an outlier
#pragma once

#include "trellis/topology.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <string_view>

namespace trellis::sim {

enum class OutlierTail : std::uint8_t { exponential, pareto };

struct NoiseProfile {
    std::string_view name;
    Delay pair_offset_sd{0};
    // Gamma distribution of integer shape.
    int body_shape = 1;
    Delay body_mean{0};
    double outlier_probability = 0;
    OutlierTail outlier_tail = OutlierTail::exponential;
    Delay outlier_scale{0};    // the mean of an exponential tail, the least value of a Pareto tail
    double outlier_shape = 0;  // of a Pareto tail
};

inline constexpr NoiseProfile no_noise{.name = "none"};
inline constexpr NoiseProfile lan_noise{.name = "lan",
                                        .pair_offset_sd = Delay{0.3},
                                        .body_shape = 2,
                                        .body_mean = Delay{3},
                                        .outlier_probability = 0.03,
                                        .outlier_scale = Delay{60}};
inline constexpr NoiseProfile lan_tight_noise{.name = "lan-tight",
                                              .pair_offset_sd = Delay{0.2},
                                              .body_shape = 2,
                                              .body_mean = Delay{1.5},
                                              .outlier_probability = 0.02,
                                              .outlier_scale = Delay{40}};
inline constexpr NoiseProfile wan_noise{.name = "wan",
                                        .pair_offset_sd = Delay{2},
                                        .body_shape = 2,
                                        .body_mean = Delay{30},
                                        .outlier_probability = 0.05,
                                        .outlier_tail = OutlierTail::pareto,
                                        .outlier_scale = Delay{200},
                                        .outlier_shape = 1.5};
inline constexpr NoiseProfile wan_rough_noise{.name = "wan-rough",
                                              .pair_offset_sd = Delay{20},
                                              .body_shape = 2,
                                              .body_mean = Delay{300},
                                              .outlier_probability = 0.05,
                                              .outlier_tail = OutlierTail::pareto,
                                              .outlier_scale = Delay{1000},
                                              .outlier_shape = 1.3};
inline constexpr NoiseProfile virtual_machine_noise{.name = "virtual machines",
                                                    .pair_offset_sd = Delay{1},
                                                    .body_shape = 1,
                                                    .body_mean = Delay{15},
                                                    .outlier_probability = 0.10,
                                                    .outlier_scale = Delay{400}};

// As lan, with pair offsets as large as the round trip of one link between switches.
[[nodiscard]] constexpr NoiseProfile systematic_noise(Delay trunk_rtt) {
    NoiseProfile profile = lan_noise;
    profile.name = "systematic";
    profile.pair_offset_sd = trunk_rtt;
    return profile;
}

// An interface that delays its interrupts adds up to this much to every round trip of its host, instead of
// the body and the outliers of its network.
inline constexpr Delay throttled_spread{550};

class RoundTripNoise {
  public:
    explicit RoundTripNoise(std::uint64_t seed) : seed_(seed), random_(seed) {}

    // Gives this host a throttled interface.
    void throttle(std::uint32_t host) { throttled_.insert(host); }

    // One round trip between two hosts whose path takes path_rtt without noise; never negative.
    [[nodiscard]] Delay sample(const NoiseProfile& profile, std::uint32_t a, std::uint32_t b, Delay path_rtt);
    // The same for a-b and b-a, and whenever it is asked.
    [[nodiscard]] Delay pair_offset(const NoiseProfile& profile, std::uint32_t a, std::uint32_t b) const;

  private:
    [[nodiscard]] double uniform();  // above 0, at most 1
    [[nodiscard]] Delay exponential(Delay mean);
    [[nodiscard]] Delay body(const NoiseProfile& profile);
    [[nodiscard]] Delay outlier(const NoiseProfile& profile);

    std::uint64_t seed_;
    std::mt19937_64 random_;
    std::set<std::uint32_t> throttled_;
};

}  // namespace trellis::sim
