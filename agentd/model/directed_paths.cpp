#include "agentd/model/directed_paths.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>

namespace trellis {

DirectedPaths::DirectedPaths(const Topology& topology)
    : leaving_(topology.node_count()), up_(topology.node_count()), depth_(topology.node_count()) {
    for (const TopologyLink& link : topology.links) {
        leaving_[link.a].push_back(static_cast<DirectedLink>(ends_.size()));
        leaving_[link.b].push_back(static_cast<DirectedLink>(ends_.size() + 1));
        ends_.insert(ends_.end(), {link.a, link.b});
        delays_.push_back(link.delay);
    }
    order_.push_back(centre(topology));
    for (std::size_t next = 0; next < order_.size(); ++next) {
        const TopologyNode node = order_[next];
        for (const DirectedLink link : leaving_[node]) {
            if (next > 0 && link == up_[node]) continue;
            up_[head(link)] = opposite(link);
            depth_[head(link)] = depth_[node] + 1;
            order_.push_back(head(link));
        }
    }
}

std::vector<DirectedLink> DirectedPaths::path(TopologyNode from, TopologyNode to) const {
    std::vector<DirectedLink> climb, descent;
    while (from != to) {
        if (depth_[from] >= depth_[to]) {
            climb.push_back(up_[from]);
            from = head(up_[from]);
        } else {
            descent.push_back(opposite(up_[to]));
            to = head(up_[to]);
        }
    }
    climb.insert(climb.end(), descent.rbegin(), descent.rend());
    return climb;
}

Delay DirectedPaths::delay(TopologyNode from, TopologyNode to) const {
    Delay sum{0};
    for (const DirectedLink link : path(from, to))
        sum += delays_[link_of(link)];
    return sum;
}

}  // namespace trellis
