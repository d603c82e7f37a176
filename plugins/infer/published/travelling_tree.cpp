#include "plugins/infer/published/travelling_tree.hpp"

#include "agentd/model/topology_adjacency.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr double longest_delay_us = 3600e6;

bool sane(double delay_us) {
    return delay_us >= 0 && delay_us <= longest_delay_us;  // not so for NaN
}

Failure malformed(std::string cause) {
    return Failure{FailureKind::invalid, "check travelling tree", "", std::move(cause)};
}

Result<void> check_nodes(const TravellingTree& tree, std::size_t host_count) {
    if (host_count > most_hosts) return malformed("more than " + std::to_string(most_hosts) + " hosts");
    if (tree.nodes.size() > 2 * host_count) return malformed("too many nodes");
    if (tree.tolerances_us.size() != tree.nodes.size()) return malformed("not one tolerance for each node");
    if (!std::ranges::all_of(tree.tolerances_us, sane)) return malformed("a tolerance out of range");
    if (tree.measured_pairs > host_count * host_count) return malformed("too many measured pairs");
    std::vector<bool> seen(host_count, false);
    for (const HostNumber host : tree.nodes) {
        if (host == no_host) continue;
        if (host >= host_count) return malformed("unknown host number " + std::to_string(host));
        if (seen[host]) return malformed("host number " + std::to_string(host) + " twice");
        seen[host] = true;
    }
    return {};
}

Result<void> check_links(const TravellingTree& tree) {
    if (tree.links.size() + 1 != std::max<std::size_t>(tree.nodes.size(), 1))
        return malformed("the number of links is not that of a tree");
    for (const TreeLink& link : tree.links) {
        if (link.a >= tree.nodes.size() || link.b >= tree.nodes.size()) return malformed("a link to no node");
        if (!sane(link.delay_us)) return malformed("a delay out of range");
    }
    return {};
}

Result<void> check_shape(const TravellingTree& tree) {
    if (tree.nodes.empty()) return {};
    const TopologyAdjacency adjacency(tree.nodes.size(), topology_links(tree));
    for (TopologyNode node = 0; node < tree.nodes.size(); ++node) {
        if (tree.nodes[node] != no_host && adjacency.degree(node) > 1)
            return malformed("a host inside the tree");
        if (tree.nodes[node] == no_host && adjacency.degree(node) < 3)
            return malformed("a switch without branches");
    }
    const auto joined = [](Delay distance) { return std::isfinite(distance.count()); };
    if (!std::ranges::all_of(adjacency.distances_from(0), joined)) return malformed("not one tree");
    return {};
}

// A prefix with which no host name can be mistaken for a switch.
std::string switch_prefix(const std::vector<std::string>& hosts) {
    std::string prefix = "s";
    const auto collides = [&](const std::string& host) {
        return host.size() > prefix.size() && host.starts_with(prefix) &&
               std::isdigit(static_cast<unsigned char>(host[prefix.size()])) != 0;
    };
    while (std::ranges::any_of(hosts, collides))
        prefix == "s" ? prefix.assign("switch") : prefix.append("-");
    return prefix;
}

// The tree with hosts first, in the order of their numbers; switches unnamed.
Topology hosts_first(const TravellingTree& tree, std::span<const std::string> names) {
    std::vector<std::pair<HostNumber, TopologyNode>> order;
    for (TopologyNode node = 0; node < tree.nodes.size(); ++node)
        order.emplace_back(tree.nodes[node], node);
    std::ranges::sort(order);  // no_host is the highest number
    Topology topology;
    std::vector<TopologyNode> new_number(tree.nodes.size());
    for (const auto& [host, node] : order) {
        new_number[node] = static_cast<TopologyNode>(topology.node_count());
        if (host == no_host)
            topology.switches.emplace_back();
        else
            topology.hosts.push_back(names[host]);
    }
    for (const TreeLink& link : tree.links)
        topology.links.push_back({new_number[link.a], new_number[link.b], Delay{link.delay_us}});
    return topology;
}

}  // namespace

std::vector<TopologyLink> topology_links(const TravellingTree& tree) {
    std::vector<TopologyLink> links;
    links.reserve(tree.links.size());
    for (const TreeLink& link : tree.links)
        links.push_back({link.a, link.b, Delay{link.delay_us}});
    return links;
}

Result<void> validate(const TravellingTree& tree, std::size_t host_count) {
    if (auto nodes = check_nodes(tree, host_count); !nodes) return nodes;
    if (auto links = check_links(tree); !links) return links;
    return check_shape(tree);
}

Topology to_topology(const TravellingTree& tree, std::span<const std::string> names) {
    Topology unnamed = hosts_first(tree, names);
    if (unnamed.node_count() == 0) return unnamed;
    const TopologyQuery query(unnamed);
    const std::string prefix = switch_prefix(unnamed.hosts);
    Topology result{unnamed.hosts, {}, {}};
    std::vector<TopologyNode> new_number(unnamed.node_count());
    std::vector<TopologyNode> open{query.root()};
    while (!open.empty()) {
        const TopologyNode node = open.back();
        open.pop_back();
        new_number[node] = node;
        if (!unnamed.is_host(node)) {
            new_number[node] = static_cast<TopologyNode>(result.node_count());
            result.switches.push_back(prefix + std::to_string(result.switches.size() + 1));
        }
        if (node != query.root())
            result.links.push_back(
                {new_number[query.parent(node)], new_number[node], query.delay_to_parent(node)});
        const auto children = query.children(node);
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    return result;
}

}  // namespace trellis::plugins::infer
