// The search of a cheaper placement by swaps: two ranks change places, or a rank takes a free slot. Pure.
#pragma once

#include "plugins/rankmap/path_costs.hpp"
#include "plugins/rankmap/placement.hpp"
#include "plugins/rankmap/traffic.hpp"

#include <cstddef>
#include <cstdint>

namespace trellis::plugins::rankmap {

struct SwapSearch {
    std::uint64_t seed = 1;
    // The temperature at which it begins, in units of what a swap usually changes: at 0.1 it leaves the
    // placement from which it starts, at 0.01 it keeps to it.
    double hot = 0.1;
    // How often the cost of a peer is looked up: what the time depends on.
    std::size_t effort = 60'000'000;
};

// The cheapest placement that was met from this one on, so never a dearer one: by simulated annealing
// (S. Kirkpatrick et al., Optimization by Simulated Annealing, 1983), where most swaps bring a rank to the
// host of one of its peers or near it, and in the end by swaps that make it cheaper alone.
[[nodiscard]] Placement improve_by_swaps(const Site& site, const Traffic& traffic, const PathCosts& costs,
                                         const Placement& placement, const SwapSearch& search);

}  // namespace trellis::plugins::rankmap
