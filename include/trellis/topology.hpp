// A topology: the tree of switches between a set of hosts, with a one-way delay on each link.
// A plain value: `infer` makes one, a file or the bus carries it, others read it. It owns its names and links
// and never changes by itself, never roots the tree, and never knows addresses, times or where it came from.
// Everything that one asks of it (distances, shared links, orders, projection, formats) is in
// agentd/model/topology_*.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

// One-way delay. A double in microseconds: sums of many links stay exact far below a nanosecond, and JSON
// carries the same figure without rounding.
using Delay = std::chrono::duration<double, std::micro>;

// A node of a topology: hosts first, in the order of Topology::hosts, then switches in the order of
// Topology::switches. So node i is host i when i < hosts.size(), and switch i - hosts.size() otherwise.
using TopologyNode = std::uint32_t;

// An undirected link between two nodes.
struct TopologyLink {
    TopologyNode a = 0;
    TopologyNode b = 0;
    Delay delay{0};  // one way, the same in both directions, finite and not negative
    // How sure whoever found the link is of it, 0 to 1: of a link between two switches, that they are two;
    // of a host's link, that the host hangs there.
    double confidence = 1;
    Delay standard_error{0};  // of the delay; 0: not known, or exact

    friend bool operator==(const TopologyLink&, const TopologyLink&) = default;
};

// Hosts are leaves: a host has one link (none if it is alone; two hosts alone may be joined directly).
// Names are unique over hosts and switches together. The links form one tree over all nodes.
// validate() in agentd/model/topology_query.hpp says whether a value keeps these rules.
struct Topology {
    std::vector<std::string> hosts;
    std::vector<std::string> switches;
    std::vector<TopologyLink> links;
    // Switches, in ascending order, each of which stands for a part of the network that is no tree (several
    // routes): paths that meet there may share links or not, which nobody can tell.
    std::vector<TopologyNode> meshes = {};

    [[nodiscard]] std::size_t node_count() const { return hosts.size() + switches.size(); }
    [[nodiscard]] bool is_host(TopologyNode node) const { return node < hosts.size(); }
    // The name of a node; node < node_count().
    [[nodiscard]] const std::string& name(TopologyNode node) const {
        return is_host(node) ? hosts[node] : switches[node - hosts.size()];
    }

    friend bool operator==(const Topology&, const Topology&) = default;
};

}  // namespace trellis
