// The rules of the Topology value, each with a message of its own.
#include "agentd/model/topology_adjacency.hpp"
#include "agentd/model/topology_query.hpp"

#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

namespace trellis {
namespace {

Failure broken(std::string cause) {
    return Failure{FailureKind::invalid, "topology", "", std::move(cause)};
}

std::string spell(const Topology& topology, std::size_t index) {
    const TopologyLink& link = topology.links[index];
    return "link " + std::to_string(index) + " (" + topology.name(link.a) + " - " + topology.name(link.b) +
           ")";
}

Result<void> check_names(const Topology& topology) {
    std::unordered_set<std::string_view> seen;
    for (TopologyNode node = 0; node < topology.node_count(); ++node) {
        const std::string& name = topology.name(node);
        if (name.empty()) return broken("node " + std::to_string(node) + " has an empty name");
        if (!seen.insert(name).second)
            return broken("the name '" + name +
                          "' is used twice; names of hosts and switches must be unique");
    }
    return {};
}

Result<void> check_links(const Topology& topology) {
    const std::size_t nodes = topology.node_count();
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        const TopologyLink& link = topology.links[i];
        if (link.a >= nodes || link.b >= nodes)
            return broken("link " + std::to_string(i) + " ends at a node that does not exist");
        if (link.a == link.b) return broken(spell(topology, i) + " joins a node to itself");
        if (!std::isfinite(link.delay.count()) || link.delay.count() < 0)
            return broken(spell(topology, i) + " needs a delay that is finite and not negative");
        if (!(link.confidence >= 0 && link.confidence <= 1))
            return broken(spell(topology, i) + " needs a confidence from 0 to 1");
        if (!std::isfinite(link.standard_error.count()) || link.standard_error.count() < 0)
            return broken(spell(topology, i) + " needs a standard error that is finite and not negative");
    }
    return {};
}

Result<void> check_leaves(const Topology& topology, const TopologyAdjacency& adjacency) {
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host)
        if (adjacency.degree(host) > 1)
            return broken("host '" + topology.hosts[host] + "' has " +
                          std::to_string(adjacency.degree(host)) + " links; a host is a leaf and has one");
    return {};
}

Result<void> check_tree(const Topology& topology, const TopologyAdjacency& adjacency) {
    if (topology.node_count() == 0) return {};
    const std::vector<Delay> distance = adjacency.distances_from(0);
    for (TopologyNode node = 0; node < topology.node_count(); ++node)
        if (std::isinf(distance[node].count()))
            return broken("'" + topology.name(node) + "' is not joined to '" + topology.name(0) +
                          "'; the links must form one tree");
    if (topology.links.size() + 1 != topology.node_count())
        return broken("the links form a loop: a tree of " + std::to_string(topology.node_count()) +
                      " nodes has " + std::to_string(topology.node_count() - 1) + " links, here are " +
                      std::to_string(topology.links.size()));
    return {};
}

Result<void> check_meshes(const Topology& topology) {
    for (std::size_t i = 0; i < topology.meshes.size(); ++i) {
        const TopologyNode node = topology.meshes[i];
        if (node >= topology.node_count() || topology.is_host(node))
            return broken("mesh " + std::to_string(i) + " is no switch");
        if (i > 0 && node <= topology.meshes[i - 1])
            return broken("mesh '" + topology.name(node) +
                          "' is out of order; meshes are given once, in the order of switches");
    }
    return {};
}

}  // namespace

Result<void> validate(const Topology& topology) {
    if (auto names = check_names(topology); !names) return names;
    if (auto links = check_links(topology); !links) return links;
    if (auto meshes = check_meshes(topology); !meshes) return meshes;
    const TopologyAdjacency adjacency(topology);
    if (auto leaves = check_leaves(topology, adjacency); !leaves) return leaves;
    return check_tree(topology, adjacency);
}

}  // namespace trellis
