// The planner of the default method alone: no agents, no simulated world; the round trips of each pair are
// drawn from the noise, undisturbed by the others.
#pragma once

#include "tests/bench/infer_trial.hpp"

#include <cstdint>

namespace trellis {

// As try_inference(), without what only a world has: virtual time, round trips a second. The processor time
// is that of the planner's calls, without that of drawing the round trips.
[[nodiscard]] InferTrial try_planner(const sim::NoisyNetwork& network, std::uint64_t seed);

}  // namespace trellis
