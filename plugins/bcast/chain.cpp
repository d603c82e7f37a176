#include "plugins/bcast/chain.hpp"

#include "agentd/model/topology_query.hpp"

#include <map>
#include <string_view>

namespace trellis::plugins::bcast {

Chain tree_chain(const Topology& topology, const std::vector<std::string>& names, const std::string& source) {
    Chain chain;
    std::map<std::string_view, std::size_t> left;
    for (std::size_t i = 0; i < names.size(); ++i)
        left[names[i]] = i;
    if (!topology.hosts.empty()) {
        const TopologyNode root = find_node(topology, source).value_or(centre(topology));
        const TopologyQuery query(topology, root);
        for (const TopologyNode node : query.depth_first_hosts()) {
            const auto place = left.find(topology.name(node));
            if (place == left.end()) continue;
            chain.order.push_back(place->second);
            left.erase(place);
        }
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!left.contains(names[i])) continue;
        chain.order.push_back(i);
        chain.unplaced.push_back(names[i]);
    }
    return chain;
}

}  // namespace trellis::plugins::bcast
