// A topology as an undirected Graphviz graph. Writing only.
#pragma once

#include "trellis/topology.hpp"

#include <string>

namespace trellis {

// Hosts as boxes, switches as ellipses, meshes as double circles, links labelled with their one-way delay and
// dashed where they are doubtful, with what is known of them as the tooltip. Names are quoted.
[[nodiscard]] std::string topology_dot(const Topology& topology);

}  // namespace trellis
