// Random true topologies for property tests, by seed. Owned by the test; every switch is visible (three links
// or more).
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>

namespace trellis::sim {

enum class TreeShape : std::uint8_t { any, star, chain, deep, two_levels };
inline constexpr TreeShape all_tree_shapes[] = {TreeShape::any, TreeShape::star, TreeShape::chain,
                                                TreeShape::deep, TreeShape::two_levels};

// Hosts h000.. numbered at random over the tree, switches s000.., links of 1 to 100 us. hosts >= 3.
[[nodiscard]] Topology random_topology(std::size_t hosts, TreeShape shape, std::uint64_t seed);

}  // namespace trellis::sim
