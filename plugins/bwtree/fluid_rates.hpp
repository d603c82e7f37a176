// Fluid rates: what flows would reach in a network of known bandwidths that shares each link fairly. For
// telling what held flows up, for foretelling how much a plan sends, and for its tests. Pure.
#pragma once

#include "agentd/model/directed_paths.hpp"
#include "plugins/bwtree/flow.hpp"

#include <functional>
#include <span>
#include <vector>

namespace trellis::plugins::bwtree {

// The links that a flow crosses.
using Way = std::vector<DirectedLink>;

// Max-min fair rates of flows on these ways, in bits per second.
[[nodiscard]] std::vector<double> fair_rates(std::span<const Way> ways,
                                             const std::function<double(DirectedLink)>& capacity);

// The same for a round, of which each group has its links for itself. `capacity`: of each directed link.
[[nodiscard]] std::vector<FlowRate> fluid_rates(const DirectedPaths& paths, std::span<const double> capacity,
                                                std::span<const Flow> flows);

}  // namespace trellis::plugins::bwtree
