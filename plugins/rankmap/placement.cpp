#include "plugins/rankmap/placement.hpp"

#include "agentd/model/host_order.hpp"
#include "agentd/model/topology_query.hpp"

#include <utility>

namespace trellis::plugins::rankmap {
namespace {

std::vector<HostIndex> indices(const std::vector<std::size_t>& order) {
    std::vector<HostIndex> hosts;
    hosts.reserve(order.size());
    for (const std::size_t host : order)
        hosts.push_back(static_cast<HostIndex>(host));
    return hosts;
}

}  // namespace

std::vector<HostIndex> depth_first_hosts(const Topology& topology) {
    const TopologyQuery query(topology);
    const auto hosts = query.depth_first_hosts();
    return {hosts.begin(), hosts.end()};
}

std::vector<HostIndex> hosts_by_name(const Topology& topology) {
    return indices(name_order(topology.hosts));
}

std::vector<HostIndex> hosts_by_lot(const Topology& topology, std::uint64_t seed) {
    return indices(random_order(topology.hosts.size(), seed));
}

Placement fill(const Site& site, std::span<const HostIndex> hosts, std::size_t ranks) {
    Placement placement;
    placement.reserve(ranks);
    for (const HostIndex host : hosts)
        for (std::uint32_t slot = 0; slot < site.slots[host] && placement.size() < ranks; ++slot)
            placement.push_back(host);
    return placement;
}

RankOrder rank_order(const Site& site, const Placement& placement, std::string method) {
    RankOrder order{std::move(method), {}};
    std::vector<std::uint32_t> used(site.slots.size(), 0);
    for (const HostIndex host : placement)
        order.ranks.push_back({site.topology.hosts[host], used[host]++});
    return order;
}

}  // namespace trellis::plugins::rankmap
