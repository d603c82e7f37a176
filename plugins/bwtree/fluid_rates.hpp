// Fluid rates: what flows would reach in a network of known bandwidths that shares each link fairly. For
// foretelling how much a plan sends, and for its tests. Pure.
#pragma once

#include "agentd/model/directed_paths.hpp"
#include "plugins/bwtree/flow.hpp"

#include <span>
#include <vector>

namespace trellis::plugins::bwtree {

// Max-min fair rates, in bits per second. `capacity`: of each directed link.
[[nodiscard]] std::vector<FlowRate> fluid_rates(const DirectedPaths& paths, std::span<const double> capacity,
                                                std::span<const Flow> flows);

}  // namespace trellis::plugins::bwtree
