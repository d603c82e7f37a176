#include "plugins/rankmap/objective.hpp"

#include <vector>

namespace trellis::plugins::rankmap {
namespace {

// Where each host hangs; the host itself if on no switch.
std::vector<TopologyNode> switches_of_hosts(const Topology& topology) {
    std::vector<TopologyNode> found(topology.hosts.size());
    for (TopologyNode host = 0; host < found.size(); ++host)
        found[host] = host;
    for (const TopologyLink& link : topology.links) {
        if (topology.is_host(link.a) && !topology.is_host(link.b)) found[link.a] = link.b;
        if (topology.is_host(link.b) && !topology.is_host(link.a)) found[link.b] = link.a;
    }
    return found;
}

}  // namespace

Objective objective(const Topology& topology, const Traffic& traffic, const PathCosts& costs,
                    const Placement& placement) {
    const std::vector<TopologyNode> switch_of = switches_of_hosts(topology);
    Objective sum;
    for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) {
        const HostIndex here = placement[rank];
        for (const TrafficPeer& peer : traffic.peers(rank)) {
            if (peer.rank < rank) continue;
            const HostIndex there = placement[peer.rank];
            sum.cost += peer.amount * costs.between(here, there);
            if (here != there) sum.between_hosts += peer.amount;
            if (switch_of[here] != switch_of[there]) sum.between_switches += peer.amount;
        }
    }
    if (traffic.total() <= 0) return {};
    return {sum.cost / traffic.total(), sum.between_switches / traffic.total(),
            sum.between_hosts / traffic.total()};
}

}  // namespace trellis::plugins::rankmap
