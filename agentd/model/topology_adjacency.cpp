#include "agentd/model/topology_adjacency.hpp"

#include <limits>

namespace trellis {

TopologyAdjacency::TopologyAdjacency(std::size_t node_count, std::span<const TopologyLink> links)
    : offset_(node_count + 1, 0), neighbour_(2 * links.size()) {
    for (const TopologyLink& link : links) {
        ++offset_[link.a + 1];
        ++offset_[link.b + 1];
    }
    for (std::size_t i = 1; i < offset_.size(); ++i)
        offset_[i] += offset_[i - 1];
    std::vector<std::size_t> next(offset_.begin(), offset_.end() - 1);
    for (std::size_t i = 0; i < links.size(); ++i) {
        neighbour_[next[links[i].a]++] = {links[i].b, links[i].delay, i};
        neighbour_[next[links[i].b]++] = {links[i].a, links[i].delay, i};
    }
}

std::vector<Delay> TopologyAdjacency::distances_from(TopologyNode start) const {
    const Delay unknown{std::numeric_limits<double>::infinity()};
    std::vector<Delay> distance(node_count(), unknown);
    std::vector<TopologyNode> stack{start};
    distance[start] = Delay{0};
    while (!stack.empty()) {
        const TopologyNode node = stack.back();
        stack.pop_back();
        for (const TopologyNeighbour& next : neighbours(node)) {
            if (distance[next.node] != unknown) continue;
            distance[next.node] = distance[node] + next.delay;
            stack.push_back(next.node);
        }
    }
    return distance;
}

}  // namespace trellis
