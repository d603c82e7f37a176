// The paths between measured pairs of hosts in one tree, as sums over its links and back: the two halves of
// every fit of link delays, each in one pass over pairs and links. Owned by a fit; it knows which links a
// path has, never how long they are.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

class PathSums {
  public:
    struct Pair {
        TopologyNode a = 0;
        TopologyNode b = 0;
        TopologyNode meeting = 0;  // the node of the path that is next to the root
    };

    // The links form one tree over node_count nodes, of which the first are the hosts of the matrix, at least
    // one. Quadratic in the hosts.
    PathSums(std::size_t node_count, std::span<const TopologyLink> links, const RttMatrix& matrix);

    // The measured pairs.
    [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
    [[nodiscard]] std::size_t link_count() const { return below_.size(); }

    // For each pair: the sum of a figure of each link over its path.
    void along(std::span<const double> of_links, std::vector<double>& of_pairs) const;
    // For each link: the sum of a figure of each pair over the pairs whose path has it.
    void across(std::span<const double> of_pairs, std::vector<double>& of_links) const;
    // For each two links: the sum of a figure of each pair over the pairs whose paths have both; rows of
    // link_count(). Quadratic in the nodes.
    [[nodiscard]] std::vector<double> across_both(std::span<const double> of_pairs) const;

  private:
    void root(std::span<const TopologyLink> links);
    void meet(const RttMatrix& matrix);
    [[nodiscard]] std::vector<double> between_subtrees(std::span<const double> of_pairs) const;
    [[nodiscard]] bool is_below(TopologyNode node, TopologyNode above) const {
        return first_[above] <= first_[node] && first_[node] < last_[above];
    }

    std::vector<Pair> pairs_;
    std::vector<TopologyNode> order_;        // from the root outwards, each subtree in one piece
    std::vector<TopologyNode> inwards_;      // the reverse, without the root
    std::vector<TopologyNode> parent_;       // the root, node 0, is its own
    std::vector<TopologyNode> below_;        // the far end of each link
    std::vector<std::size_t> first_, last_;  // a node's subtree in order_
    mutable std::vector<double> of_nodes_;
};

}  // namespace trellis::plugins::infer
