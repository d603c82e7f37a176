// What one asks of a topology: distances, paths, shared links, hosts below a switch, depth-first order,
// projection. Pure functions of the value. A TopologyQuery belongs to its maker, copies what it needs from
// the topology, and never changes it; its answers are meaningless for a topology that validate() refuses.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// Checks the rules of the value: names unique and not empty, links between known nodes, delays finite and not
// negative, hosts at the ends, one tree over all nodes. The failure names the rule and the node or link that
// breaks it.
[[nodiscard]] Result<void> validate(const Topology& topology);

// The node of that name (host or switch), if any. Linear in the number of nodes.
[[nodiscard]] std::optional<TopologyNode> find_node(const Topology& topology, std::string_view name);

// The node from which the tree is drawn and ordered: the switch whose farthest host is nearest (the centre of
// the tree by delay; the lowest number among equals), or the first host where there is no switch. The
// topology is not empty.
[[nodiscard]] TopologyNode centre(const Topology& topology);

// The tree as those hosts see it: only their leaves, in the order given; switches left without a branch are
// dropped and switches left with two links are spliced, their delays added. Switch names are kept. Refused if
// a name is unknown or given twice.
[[nodiscard]] Result<Topology> project(const Topology& topology, std::span<const std::string> hosts);

// project() onto all its hosts: what end-to-end measurements can tell of the tree at best.
[[nodiscard]] Topology visible_part(const Topology& topology);

// Hosts grouped by the switch that they are attached to, each group and the groups in order of host number.
[[nodiscard]] std::vector<std::vector<TopologyNode>> groups_by_switch(const Topology& topology);

// A topology rooted and indexed for many questions. Nodes are those of the topology.
class TopologyQuery {
  public:
    // The topology is valid and not empty; root is one of its nodes (centre() unless told).
    explicit TopologyQuery(const Topology& topology);
    TopologyQuery(const Topology& topology, TopologyNode root);

    // One-way delay and number of links between two nodes.
    [[nodiscard]] Delay distance(TopologyNode a, TopologyNode b) const;
    [[nodiscard]] std::size_t hops(TopologyNode a, TopologyNode b) const;
    // The nodes of the path, both ends included.
    [[nodiscard]] std::vector<TopologyNode> path(TopologyNode a, TopologyNode b) const;
    // How many links the paths a-b and c-d have in common, whatever the direction.
    [[nodiscard]] std::size_t shared_links(TopologyNode a, TopologyNode b, TopologyNode c,
                                           TopologyNode d) const;
    [[nodiscard]] bool share_link(TopologyNode a, TopologyNode b, TopologyNode c, TopologyNode d) const {
        return shared_links(a, b, c, d) > 0;
    }

    [[nodiscard]] TopologyNode root() const { return root_; }
    // The root is its own parent.
    [[nodiscard]] TopologyNode parent(TopologyNode node) const { return parent_[node]; }
    [[nodiscard]] Delay delay_to_parent(TopologyNode node) const { return parent_delay_[node]; }
    // Links between the root and the node.
    [[nodiscard]] std::size_t depth(TopologyNode node) const { return depth_[node]; }
    // In order of the lowest host number below each; branches without hosts last.
    [[nodiscard]] std::span<const TopologyNode> children(TopologyNode node) const { return children_[node]; }
    // The hosts of the subtree of a node, in depth-first order.
    [[nodiscard]] std::span<const TopologyNode> hosts_below(TopologyNode node) const;
    // All hosts in depth-first order: a chain in this order crosses each link at most once in each direction.
    [[nodiscard]] std::span<const TopologyNode> depth_first_hosts() const { return host_order_; }

  private:
    void visit_from_root(const Topology& topology);
    void order_children(const Topology& topology, const std::vector<TopologyNode>& visited);
    void order_hosts(const Topology& topology);
    [[nodiscard]] TopologyNode meeting_point(TopologyNode a, TopologyNode b) const;
    [[nodiscard]] Delay climb(TopologyNode from, TopologyNode ancestor) const;

    TopologyNode root_;
    std::vector<TopologyNode> parent_;
    std::vector<Delay> parent_delay_;
    std::vector<std::size_t> depth_;
    std::vector<std::vector<TopologyNode>> children_;
    std::vector<TopologyNode> host_order_;
    std::vector<std::size_t> first_host_, last_host_;  // a node's part of host_order_
};

}  // namespace trellis
