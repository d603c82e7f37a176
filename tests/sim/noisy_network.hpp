// NoisyNetwork: a network to be measured in the simulated world: its true topology, and what adds to the
// round trips of its hosts. A plain value. NoisyRoundTrips draws their samples; it belongs to whoever owns
// the world, must not outlive the network, and knows no queues.
#pragma once

#include "trellis/time.hpp"
#include "trellis/topology.hpp"

#include "agentd/model/topology_query.hpp"
#include "tests/sim/noise.hpp"
#include "tests/sim/route_table.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace trellis::sim {

struct NoisyNetwork {
    Topology truth;
    std::vector<std::size_t> cluster;     // of each host
    std::vector<NoiseProfile> profile;    // inside each cluster
    NoiseProfile between = wan_noise;     // between clusters
    std::vector<TopologyNode> throttled;  // hosts with a throttled interface
    // Where the network is no tree: the true routes, by host number. The truth then has a mesh in their
    // place.
    std::shared_ptr<const RouteTable> routes;
    Duration clock_step{1};  // the hosts' clocks count in these

    [[nodiscard]] const NoiseProfile& noise(TopologyNode a, TopologyNode b) const {
        return cluster[a] == cluster[b] ? profile[cluster[a]] : between;
    }
};

class NoisyRoundTrips {
  public:
    NoisyRoundTrips(const NoisyNetwork& network, std::uint64_t seed);

    // What the clock of host a shows of a round trip to b whose messages took `passed` over the tree.
    [[nodiscard]] Duration sample(TopologyNode a, TopologyNode b, TimePoint begun, Duration passed);

  private:
    const NoisyNetwork& network_;
    RoundTripNoise noise_;
    std::optional<TopologyQuery> tree_;  // only where the routes are none
};

}  // namespace trellis::sim
