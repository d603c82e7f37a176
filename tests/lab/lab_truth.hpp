// What a perfect inference would find in a laboratory: its first network as a topology value. Pure.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include "tests/lab/topology_file.hpp"

#include <string>
#include <vector>

namespace trellis::lab {

// The tree of switches over every host's first card, without the hosts that are named (those that take no
// part, such as the one where the user sits). Refused: a name that is no host, a network of several trees.
Result<Topology> truth_of(const TopologyFile& file, const std::vector<std::string>& without = {});

}  // namespace trellis::lab
