// Neighbour joining (Saitou and Nei 1987, in the form of Studier and Keppler 1988): a tree from all distances
// at once. Exact where the distances are those of a tree; the start of a search and the mark to beat
// elsewhere. Pure.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

// Every switch has three links, some of no length (two hosts alone are joined directly). Weights do not
// matter; a pair that is not measured counts with what the others allow (check_connected).
// Negative delays become 0. Cubic in the hosts.
[[nodiscard]] Topology neighbour_joining(const RttMatrix& matrix);

// A topology of those hosts and of node_count nodes, its switches named s1, s2, ... but for names that hosts
// have.
[[nodiscard]] Topology named_topology(std::span<const std::string> hosts, std::size_t node_count,
                                      std::vector<TopologyLink> links);

}  // namespace trellis::plugins::infer
