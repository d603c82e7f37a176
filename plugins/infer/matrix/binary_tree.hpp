// A tree in which every switch has three links, so that any subtree can be cut off and grafted on elsewhere
// in one way: the form in which shapes are searched. A switch of more links is several, with links of no
// length between them. Owned by one search; lengths are round trips, in the unit of whoever made it.
#pragma once

#include "trellis/topology.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace trellis::plugins::infer {

class BinaryTree {
  public:
    static constexpr TopologyNode none = static_cast<TopologyNode>(-1);
    struct End {
        TopologyNode node = none;
        double length = 0;
    };
    using Ends = std::array<End, 3>;  // a host has the first alone

    // The visible part of a valid topology of at least three hosts; lengths are twice its delays, in
    // microseconds.
    explicit BinaryTree(const Topology& topology);

    [[nodiscard]] std::size_t hosts() const { return hosts_; }
    [[nodiscard]] std::size_t size() const { return ends_.size(); }
    [[nodiscard]] const Ends& ends(TopologyNode node) const { return ends_[node]; }
    [[nodiscard]] bool linked(TopologyNode a, TopologyNode b) const;

    void set_length(TopologyNode a, TopologyNode b, double length);
    // Takes the switch between two of its neighbours out of their path, and puts it back in between two
    // neighbours.
    void take_out(TopologyNode node, TopologyNode a, TopologyNode b);
    void put_between(TopologyNode node, End a, End b);

    // Each link once, the lower node first.
    [[nodiscard]] std::vector<TopologyLink> links() const;
    // From a node to all that are reached without going through `barred`; negative for the others.
    void distances(TopologyNode from, TopologyNode barred, std::vector<double>& out) const;

  private:
    End& end(TopologyNode at, TopologyNode to);
    void link(TopologyNode a, TopologyNode b, double length);

    std::size_t hosts_;
    std::vector<Ends> ends_;
    mutable std::vector<TopologyNode> open_;
};

// The tree without the links between switches that `goes` chooses: their ends become one switch. Switches get
// new names.
[[nodiscard]] Topology contract(const Topology& topology,
                                const std::function<bool(const TopologyLink&)>& goes);

}  // namespace trellis::plugins::infer
