// A tree of switches while it is being solved: hosts as leaves, links with their share of the round trip.
// Owned by the solver; it keeps itself a tree in which each switch has three links or more, and measures
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {

// Hosts are the nodes 0 to hosts() - 1, switches come after them.
using Node = std::uint32_t;

struct TreeEdge {
    Node to = 0;
    double rtt_us = 0;  // what the link adds to a round trip: twice its one-way delay
};

// What hangs at the two ends of a link, the link itself left out.
struct LinkBranches {
    std::vector<std::vector<Node>> hosts;  // beyond each link of either end
    std::vector<bool> second;              // by branch: whether it hangs at the second end
};

class SwitchTree {
  public:
    // Hosts without links yet.
    explicit SwitchTree(std::size_t hosts) : hosts_(hosts), edges_(hosts) {}
    // All hosts on one switch; at least one host.
    static SwitchTree star(std::size_t hosts);

    [[nodiscard]] std::size_t hosts() const { return hosts_; }
    [[nodiscard]] std::size_t nodes() const { return edges_.size(); }
    [[nodiscard]] bool is_host(Node node) const { return node < hosts_; }
    [[nodiscard]] const std::vector<TreeEdge>& edges(Node node) const { return edges_[node]; }
    // Those that have links.
    [[nodiscard]] std::vector<Node> switches() const;
    // The switch of a host.
    [[nodiscard]] Node switch_of(Node host) const { return edges_[host].front().to; }
    [[nodiscard]] bool carries_hosts(Node node) const;
    // Those between switches, each once.
    [[nodiscard]] std::vector<std::pair<Node, Node>> links() const;
    // The hosts beyond each link of a node.
    [[nodiscard]] std::vector<std::vector<Node>> branches(Node node) const;
    // The hosts on b's side of the link a-b.
    [[nodiscard]] std::vector<Node> hosts_beyond(Node a, Node b) const;
    // Of two neighbouring switches taken as one.
    [[nodiscard]] LinkBranches branches_of_both(Node a, Node b) const;
    // Round trips from a node to all nodes.
    [[nodiscard]] std::vector<double> distances(Node from) const;

    Node add_switch();
    void link(Node a, Node b, double rtt_us);
    // Copies the switches and links of another tree, whose host i is the host hosts[i] here. Returns the node
    // here of each of its nodes.
    std::vector<Node> graft(const SwitchTree& other, std::span<const Node> hosts);
    void set_length(Node a, Node b, double rtt_us);
    [[nodiscard]] double length(Node a, Node b) const;

    // A new switch takes over the links that are told, by their place in edges(node); it is joined to the
    // node.
    Node split(Node node, const std::vector<bool>& moved);
    // Makes two neighbouring switches one, which keeps the name `a`.
    void merge(Node a, Node b);
    // Moves what hangs at `top`, a neighbour of `from`, to the switch `to`, which is not beyond `top`. A
    // switch that is left with two links goes.
    void move(Node top, Node from, Node to);
    // A switch in the middle of a link.
    Node split_link(Node a, Node b);

  private:
    [[nodiscard]] std::size_t place(Node of, Node to) const;
    void unlink(Node a, Node b);
    void tidy(Node node);

    std::size_t hosts_;
    std::vector<std::vector<TreeEdge>> edges_;
};

}  // namespace trellis::plugins::infer
