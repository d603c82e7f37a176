// Site: the hosts of a tree and how many ranks each takes. Placement: the host of each rank. Plain values;
// the methods that know nothing of what ranks say to one another, which fill one host after the other. Pure.
#pragma once

#include "trellis/topology.hpp"

#include "agentd/model/rank_order.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace trellis::plugins::rankmap {

struct Site {
    Topology topology;                 // valid, of one host at least
    std::vector<std::uint32_t> slots;  // of each host of the topology
    [[nodiscard]] std::size_t room() const {
        return std::accumulate(slots.begin(), slots.end(), std::size_t{0});
    }
};

using HostIndex = std::uint32_t;  // in Topology::hosts

// Of rank r at place r. No host has more ranks than slots.
using Placement = std::vector<HostIndex>;

// All hosts, each once: depth-first from the centre of the tree, so that near ranks sit on near hosts (Shirai
// 2007, section 6.3.1); by name; by lot.
[[nodiscard]] std::vector<HostIndex> depth_first_hosts(const Topology& topology);
[[nodiscard]] std::vector<HostIndex> hosts_by_name(const Topology& topology);
[[nodiscard]] std::vector<HostIndex> hosts_by_lot(const Topology& topology, std::uint64_t seed);

// Every slot of the first host, then of the next one. `ranks`: at most site.room().
[[nodiscard]] Placement fill(const Site& site, std::span<const HostIndex> hosts, std::size_t ranks);

// With names, and slots numbered on each host in the order of the ranks.
[[nodiscard]] RankOrder rank_order(const Site& site, const Placement& placement, std::string method);

}  // namespace trellis::plugins::rankmap
