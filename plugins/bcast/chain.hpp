// Chain: in which order the hosts of a broadcast take the object one from the other. Pure functions.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::bcast {

struct Chain {
    std::vector<std::size_t> order;     // places in the list of names, each once
    std::vector<std::string> unplaced;  // that the topology lacks: at the end, in the order given
};

// Depth-first order of the tree, so that the chain crosses each link at most once in each direction (Shirai
// 2007, section 6.2), from the branch of `source` on; a name that the topology lacks: from its first host on.
// Names differ from one another.
[[nodiscard]] Chain tree_chain(const Topology& topology, const std::vector<std::string>& names,
                               const std::string& source);

}  // namespace trellis::plugins::bcast
