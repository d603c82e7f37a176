// PathCosts: what a unit of traffic costs from one host of a tree to another. Owned by its maker; it copies
// what it needs and never changes.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include "agentd/model/topology_bandwidth.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis::plugins::rankmap {

enum class CostMeasure : std::uint8_t {
    delay,     // one way, in microseconds
    links,     // their number
    bandwidth  // nanoseconds that a byte takes on all links of the path together
};

// One for each link of the topology. Refused: measured by bandwidth without one for each of its links.
[[nodiscard]] Result<std::vector<double>> link_costs(const Topology& topology, CostMeasure measure,
                                                     const TopologyBandwidth* bandwidth);

class PathCosts {
  public:
    // `costs`: of each link of the topology, which is valid and not empty.
    PathCosts(const Topology& topology, const std::vector<double>& costs);

    // 0 of a host to itself. In constant time: the tree's nodes are listed in the order of a walk around it,
    // where the lowest one between two is where their ways meet (M. A. Bender, M. Farach-Colton, The LCA
    // Problem Revisited, 2000).
    [[nodiscard]] float between(TopologyNode a, TopologyNode b) const {
        if (a == b) return 0;
        const std::size_t first = place_[a] < place_[b] ? place_[a] : place_[b];
        const std::size_t last = place_[a] < place_[b] ? place_[b] : place_[a];
        const std::uint8_t row = logarithm_[last - first];
        const Meeting& left = nearest_[row][first];
        const Meeting& right = nearest_[row][last - (std::size_t{1} << row)];
        return height_[a] + height_[b] - 2 * (left.depth < right.depth ? left.height : right.height);
    }

  private:
    // Between two nodes that follow one another in the walk: the end of the way up from the first.
    struct Meeting {
        std::uint32_t depth = 0;
        float height = 0;
    };

    std::vector<std::size_t> place_;  // of each node in the walk
    std::vector<float> height_;       // of each node: cost from the root
    std::vector<std::uint8_t> logarithm_;
    std::vector<std::vector<Meeting>> nearest_;  // row k: the lowest of 2^k in a row
};

}  // namespace trellis::plugins::rankmap
