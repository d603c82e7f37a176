// The tree that travels from host to host while it grows: a small value that fits in one message. Whoever
// holds it adds one host to it (planner.hpp) and passes it on. It knows hosts by their number in the
// operation's host list alone, and never holds addresses or names.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include "plugins/infer/host_number.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

inline constexpr HostNumber no_host = static_cast<HostNumber>(-1);

struct TreeLink {
    TopologyNode a = 0;
    TopologyNode b = 0;
    double delay_us = 0;  // one way

    friend bool operator==(const TreeLink&, const TreeLink&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(a, b, delay_us);
    }
};

struct TravellingTree {
    std::vector<HostNumber> nodes;  // the host of each node, or no_host for a switch
    std::vector<double>
        tolerances_us;  // of the measurements that placed the host of each node; 0 for a switch
    std::vector<TreeLink> links;
    std::uint64_t measured_pairs = 0;  // by all hosts so far

    friend bool operator==(const TravellingTree&, const TravellingTree&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(nodes, tolerances_us, links, measured_pairs);
    }
};

inline constexpr std::size_t most_hosts = 65'536;

// Checks a tree that came from another agent: at most host_count hosts, each at most once and with at most
// one link; switches with three links or more; one tree; delays and tolerances finite, not negative, at most
// an hour. Tells what is wrong.
[[nodiscard]] Result<void> validate(const TravellingTree& tree, std::size_t host_count);

// The links as those of a topology with the same node numbers.
[[nodiscard]] std::vector<TopologyLink> topology_links(const TravellingTree& tree);

// The result of the inference: the hosts that the tree holds, in the order of `names` (by HostNumber), and
// its switches named s1, s2, ... in depth-first order. The tree is valid for names.size() hosts.
[[nodiscard]] Topology to_topology(const TravellingTree& tree, std::span<const std::string> names);

}  // namespace trellis::plugins::infer
