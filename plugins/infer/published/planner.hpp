// The published method of topology inference without I/O: Shirai, "A Fast Topology Inference" (2007),
// sections 3.4 and 4.1 to 4.3. The order of the hosts is fixed at the start; then each host i, in that order,
//   on an early tree, from host i - lookahead:     runs a CloseHostSearch (hosts before `lookahead`: on the
//   tree itself); on the tree with all earlier hosts:            runs an Insertion with what the search
//   measured; passes the tree to hosts i + 1 and i + lookahead.
// The first host makes the tree of itself alone: an Insertion into an empty tree.
#pragma once

#include "plugins/infer/published/close_host_search.hpp"
#include "plugins/infer/published/insertion.hpp"
#include "plugins/infer/published/measurement.hpp"
#include "plugins/infer/published/travelling_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis::plugins::infer {

inline constexpr std::size_t lookahead = 10;  // section 4.3

// The hosts 0 to count - 1 in the random order in which they are inserted.
[[nodiscard]] std::vector<HostNumber> insertion_order(std::size_t count, std::uint64_t seed);

}  // namespace trellis::plugins::infer
