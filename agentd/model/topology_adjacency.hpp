// The neighbours of every node of a tree, as one flat table (a node's links lie side by side).
// Owned by whoever walks a topology for a while; it copies what it needs and never checks that the links form
// a tree.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis {

struct TopologyNeighbour {
    TopologyNode node = 0;
    Delay delay{0};
    std::size_t link = 0;  // which of the links leads there
};

class TopologyAdjacency {
  public:
    // Both ends of every link must be below node_count.
    TopologyAdjacency(std::size_t node_count, std::span<const TopologyLink> links);
    explicit TopologyAdjacency(const Topology& topology)
        : TopologyAdjacency(topology.node_count(), topology.links) {}

    [[nodiscard]] std::size_t node_count() const { return offset_.size() - 1; }
    [[nodiscard]] std::span<const TopologyNeighbour> neighbours(TopologyNode node) const {
        return std::span(neighbour_).subspan(offset_[node], offset_[node + 1] - offset_[node]);
    }
    [[nodiscard]] std::size_t degree(TopologyNode node) const { return offset_[node + 1] - offset_[node]; }

    // One-way delays from a node to all nodes; infinity where no path leads.
    [[nodiscard]] std::vector<Delay> distances_from(TopologyNode start) const;

  private:
    std::vector<std::size_t> offset_;
    std::vector<TopologyNeighbour> neighbour_;
};

}  // namespace trellis
