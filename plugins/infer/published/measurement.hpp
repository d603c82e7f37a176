// What is kept of the round trips between two hosts: Shirai 2007, section 4.1. Plain values.
#pragma once

#include "trellis/time.hpp"

#include "plugins/infer/published/travelling_tree.hpp"

#include <map>
#include <span>

namespace trellis::plugins::infer {

// The source's clock counts whole microseconds: what is less than one apart coincides (section 4.2).
inline constexpr Delay clock_step{1};

struct PairMeasurement {
    Delay rtt{0};        // the least of the sets' minima
    Delay tolerance{0};  // the greatest of them less the least, at least clock_step

    friend bool operator==(const PairMeasurement&, const PairMeasurement&) = default;
};

// Of the minima of at least one set.
[[nodiscard]] PairMeasurement summarize(std::span<const Duration> minima);

// What one host has measured, by the number of the other host.
using Measurements = std::map<HostNumber, PairMeasurement>;

}  // namespace trellis::plugins::infer
