// A placement by partitioning: from the centre of the tree down, the ranks of each subtree are divided among
// its branches so that little is said from one branch to another. The only place that includes SCOTCH. Pure.
#pragma once

#include "plugins/rankmap/placement.hpp"
#include "plugins/rankmap/traffic.hpp"

#include <cstdint>
#include <optional>

namespace trellis::plugins::rankmap {

// Nothing if SCOTCH refuses, or if the tree is so deep that it would take too long. One seed gives one
// placement.
[[nodiscard]] std::optional<Placement> scotch_placement(const Site& site, const Traffic& traffic,
                                                        std::uint64_t seed);

}  // namespace trellis::plugins::rankmap
