// The built-in patterns of traffic, each of equal messages. Pure.
#pragma once

#include "trellis/result.hpp"

#include "plugins/rankmap/traffic.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace trellis::plugins::rankmap {

inline constexpr std::array<std::string_view, 6> pattern_names{"ring",           "halo-2d",    "halo-3d",
                                                               "multipartition", "all-to-all", "binomial"};

// ring: each rank with the one before it and the one after it, the last one with the first. halo-2d, halo-3d:
// a grid of ranks, as near to a square or a cube as their number lets it be, the last dimension running
// fastest; each rank with its 4 or 6 neighbours, without a way round the border. multipartition: q x q ranks
// on a torus, each with 6 others, as in SP and BT of the NAS Parallel Benchmarks (R. F. Van der Wijngaart,
// Efficient Implementation of a 3-Dimensional ADI Method on the iPSC/860, 1993). all-to-all: each with each.
// binomial: the tree of a broadcast from rank 0, in which the parent of a rank lacks its lowest bit. Refused:
// another name, a multipartition of a number that is no square, all-to-all of more than 4096 ranks.
[[nodiscard]] Result<Traffic> pattern_traffic(std::string_view name, std::size_t ranks);

}  // namespace trellis::plugins::rankmap
