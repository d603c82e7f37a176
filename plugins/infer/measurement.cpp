#include "plugins/infer/measurement.hpp"

#include <algorithm>

namespace trellis::plugins::infer {

PairMeasurement summarize(std::span<const Duration> minima) {
    const auto [least, greatest] = std::ranges::minmax(minima);
    return {Delay(least), Delay(greatest - least)};
}

}  // namespace trellis::plugins::infer
