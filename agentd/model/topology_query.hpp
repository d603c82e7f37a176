// What one asks of a topology: distances, paths, shared links, hosts below a switch, depth-first order,
// projection. Pure functions of the value. A TopologyQuery belongs to its maker, copies what it needs from
// the topology, and never changes it; its answers are meaningless for a topology that validate() refuses.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// Checks the rules of the value: names unique and not empty, links between known nodes, delays finite and not
// negative, confidences within 0 and 1, standard errors finite and not negative, hosts at the ends, one tree
// over all nodes, meshes that are switches in ascending order. The failure names the rule and the node or
// link that breaks it.
[[nodiscard]] Result<void> validate(const Topology& topology);

// The node of that name (host or switch), if any. Linear in the number of nodes.
[[nodiscard]] std::optional<TopologyNode> find_node(const Topology& topology, std::string_view name);

// The node from which the tree is drawn and ordered: the switch whose farthest host is nearest (the centre of
// the tree by delay; the lowest number among equals), or the first host where there is no switch. The
// topology is not empty.
[[nodiscard]] TopologyNode centre(const Topology& topology);

// The tree as those hosts see it: only their leaves, in the order given; switches left without a branch are
// dropped and switches left with two links are spliced: delays add, standard errors add as those of
// independent measurements do, in squares. Switch names are kept, and so are meshes that are not spliced.
// Refused if a name is unknown or given twice. Confidence of a spliced link: between two switches the
// greatest of its parts, since the two are two if any of the parts is a link; at a host that of the host's
// own link, since the parts beyond it say nothing of where the host hangs; between two hosts the least of
// theirs.
[[nodiscard]] Result<Topology> project(const Topology& topology, std::span<const std::string> hosts);

// project() onto all its hosts: what end-to-end measurements can tell of the tree at best.
[[nodiscard]] Topology visible_part(const Topology& topology);

// Hosts grouped by the switch that they are attached to, each group and the groups in order of host number.
[[nodiscard]] std::vector<std::vector<TopologyNode>> groups_by_switch(const Topology& topology);

// Whether two paths have a link in common, as far as a topology can tell.
enum class SharedLink : std::uint8_t { no, yes, unknown };

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
    // Unknown if both paths run into the same mesh, whose inside nobody knows, and share no link elsewhere: a
    // link between a mesh and another switch may be several cables. A host has one.
    [[nodiscard]] SharedLink shared_link_answer(TopologyNode a, TopologyNode b, TopologyNode c,
                                                TopologyNode d) const;

    [[nodiscard]] TopologyNode root() const { return root_; }
    // The root is its own parent.
    [[nodiscard]] TopologyNode parent(TopologyNode node) const { return parent_[node]; }
    [[nodiscard]] Delay delay_to_parent(TopologyNode node) const { return parent_link_[node].delay; }
    // From the parent (a) to the node (b); of the root, a link of no length to itself.
    [[nodiscard]] const TopologyLink& link_to_parent(TopologyNode node) const { return parent_link_[node]; }
    [[nodiscard]] bool is_mesh(TopologyNode node) const { return is_mesh_[node]; }
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
    [[nodiscard]] TopologyNode middle(TopologyNode a, TopologyNode b, TopologyNode c) const;
    [[nodiscard]] bool is_one_cable(TopologyNode a, TopologyNode b) const;
    [[nodiscard]] Delay climb(TopologyNode from, TopologyNode ancestor) const;

    TopologyNode root_;
    std::vector<TopologyNode> parent_;
    std::vector<TopologyLink> parent_link_;
    std::vector<bool> is_mesh_;
    std::vector<std::size_t> depth_;
    std::vector<std::vector<TopologyNode>> children_;
    std::vector<TopologyNode> host_order_;
    std::vector<std::size_t> first_host_, last_host_;  // a node's part of host_order_
};

}  // namespace trellis
