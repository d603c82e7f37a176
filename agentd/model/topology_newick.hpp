// A topology in Newick, the format of programs that draw and compare trees with branch lengths. Writing only.
#pragma once

#include "trellis/topology.hpp"

#include <string>

namespace trellis {

// One line ending in ";\n", rooted at centre(); branch lengths are one-way delays in microseconds. Names that
// are not plain words are put in single quotes. An empty topology gives ";\n".
[[nodiscard]] std::string topology_newick(const Topology& topology);

}  // namespace trellis
