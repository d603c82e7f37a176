// RouteTable: which cables the packets from each host to each other one take, where that is no tree. Owned by
// the network that it belongs to; it never changes once it is filled.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis::sim {

// One direction of a cable.
using Cable = std::uint32_t;

class RouteTable {
  public:
    explicit RouteTable(std::size_t hosts) : hosts_(hosts), routes_(hosts * hosts) {}

    void set(TopologyNode from, TopologyNode to, std::vector<Cable> cables) {
        routes_[from * hosts_ + to] = std::move(cables);
    }
    // One-way delay of each cable, by its number.
    void set_delays(std::vector<Delay> delays) { delays_ = std::move(delays); }

    // The way back where none there is known.
    [[nodiscard]] std::span<const Cable> route(TopologyNode from, TopologyNode to) const {
        const auto& there = routes_[from * hosts_ + to];
        return there.empty() ? routes_[to * hosts_ + from] : there;
    }
    // There and back.
    [[nodiscard]] Delay round_trip(TopologyNode a, TopologyNode b) const;
    // Whether any cable carries packets of a and b, either way, and packets of c and d.
    [[nodiscard]] bool share_cable(TopologyNode a, TopologyNode b, TopologyNode c, TopologyNode d) const;

  private:
    std::size_t hosts_;
    std::vector<std::vector<Cable>> routes_;
    std::vector<Delay> delays_;
};

}  // namespace trellis::sim
