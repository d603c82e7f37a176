// A topology as an undirected Graphviz graph. Writing only.
#pragma once

#include "trellis/topology.hpp"

#include <string>

namespace trellis {

// Hosts as boxes, switches as ellipses, links labelled with their one-way delay. Names are quoted.
[[nodiscard]] std::string topology_dot(const Topology& topology);

}  // namespace trellis
