// DirectedPaths: the links of a topology taken one direction at a time, and the way between any two nodes as
// a list of them. Owned by its maker; it copies what it needs and never changes.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis {

// 2 i: link i of the topology from its end `a` to its end `b`; 2 i + 1: from `b` to `a`.
using DirectedLink = std::uint32_t;

[[nodiscard]] constexpr std::size_t link_of(DirectedLink direction) {
    return direction / 2;
}
[[nodiscard]] constexpr DirectedLink opposite(DirectedLink direction) {
    return direction ^ 1U;
}

class DirectedPaths {
  public:
    // The topology is valid and not empty.
    explicit DirectedPaths(const Topology& topology);

    // From one node to another, in order; nothing if they are the same.
    [[nodiscard]] std::vector<DirectedLink> path(TopologyNode from, TopologyNode to) const;
    // One way.
    [[nodiscard]] Delay delay(TopologyNode from, TopologyNode to) const;

    [[nodiscard]] std::size_t count() const { return ends_.size(); }
    [[nodiscard]] TopologyNode tail(DirectedLink link) const { return ends_[link]; }
    [[nodiscard]] TopologyNode head(DirectedLink link) const { return ends_[opposite(link)]; }
    // The links that leave a node.
    [[nodiscard]] const std::vector<DirectedLink>& leaving(TopologyNode node) const { return leaving_[node]; }
    // All nodes, parents before children, the root first. upwards() leads from a node to its parent; of the
    // root there is none.
    [[nodiscard]] const std::vector<TopologyNode>& nodes_from_root() const { return order_; }
    [[nodiscard]] DirectedLink upwards(TopologyNode node) const { return up_[node]; }
    [[nodiscard]] std::size_t depth(TopologyNode node) const { return depth_[node]; }
    [[nodiscard]] TopologyNode root() const { return order_.front(); }

  private:
    std::vector<TopologyNode> ends_;  // from where each leads
    std::vector<Delay> delays_;       // of each link
    std::vector<std::vector<DirectedLink>> leaving_;
    std::vector<TopologyNode> order_;
    std::vector<DirectedLink> up_;
    std::vector<std::size_t> depth_;
};

}  // namespace trellis
