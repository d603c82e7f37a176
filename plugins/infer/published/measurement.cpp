#include "plugins/infer/published/measurement.hpp"

#include <algorithm>

namespace trellis::plugins::infer {

PairMeasurement summarize(std::span<const Duration> minima) {
    const auto [least, greatest] = std::ranges::minmax(minima);
    return {Delay(least), std::max(Delay(greatest - least), clock_step)};
}

}  // namespace trellis::plugins::infer
