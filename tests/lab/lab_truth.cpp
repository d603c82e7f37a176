#include "tests/lab/lab_truth.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <map>

namespace trellis::lab {
namespace {

// The node above all others of this one's tree.
std::size_t root_of(const TopologyFile& file, std::size_t node) {
    while (file.nodes[node].parent != no_node)
        node = file.nodes[node].parent;
    return node;
}

// Every host, and every switch of the first host's network.
Topology nodes_of(const TopologyFile& file, std::map<std::size_t, TopologyNode>& numbers) {
    Topology topology;
    for (const Host& host : file.hosts) {
        numbers[host.nics.front()] = static_cast<TopologyNode>(topology.hosts.size());
        topology.hosts.push_back(host.name);
    }
    std::size_t root = root_of(file, file.hosts.front().nics.front());
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        if (!file.nodes[i].is_switch() || root_of(file, i) != root) continue;
        numbers[i] = static_cast<TopologyNode>(topology.node_count());
        topology.switches.push_back(file.nodes[i].name);
    }
    return topology;
}

}  // namespace

Result<Topology> truth_of(const TopologyFile& file, const std::vector<std::string>& without) {
    for (const std::string& name : without) {
        if (!find_host(file, name)) return Failure{FailureKind::invalid, "truth", name, "no such host"};
    }
    if (file.hosts.empty()) return Failure{FailureKind::invalid, "truth", "", "a laboratory without hosts"};
    std::map<std::size_t, TopologyNode> numbers;
    Topology topology = nodes_of(file, numbers);
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        const Node& node = file.nodes[i];
        if (node.parent == no_node || !numbers.contains(i) || !numbers.contains(node.parent)) continue;
        topology.links.push_back({numbers[i], numbers[node.parent], node.up.delay});
    }
    if (auto valid = validate(topology); !valid) return valid.error();
    std::vector<std::string> hosts = topology.hosts;
    std::erase_if(hosts, [&](auto& name) { return std::ranges::find(without, name) != without.end(); });
    return project(topology, hosts);
}

}  // namespace trellis::lab
