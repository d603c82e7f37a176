#include "agentd/model/topology_query.hpp"

#include "agentd/model/topology_adjacency.hpp"

#include <algorithm>
#include <limits>

namespace trellis {

std::optional<TopologyNode> find_node(const Topology& topology, std::string_view name) {
    for (TopologyNode node = 0; node < topology.node_count(); ++node)
        if (topology.name(node) == name) return node;
    return std::nullopt;
}

namespace {

TopologyNode farthest_host(const Topology& topology, const std::vector<Delay>& distance) {
    const auto last = distance.begin() + static_cast<std::ptrdiff_t>(topology.hosts.size());
    return static_cast<TopologyNode>(std::max_element(distance.begin(), last) - distance.begin());
}

}  // namespace

TopologyNode centre(const Topology& topology) {
    if (topology.switches.empty() || topology.hosts.empty()) return 0;
    // The farthest host of any node is one end of the longest path or the other.
    const TopologyAdjacency adjacency(topology);
    const TopologyNode one_end = farthest_host(topology, adjacency.distances_from(0));
    const auto from_one = adjacency.distances_from(one_end);
    const auto from_other = adjacency.distances_from(farthest_host(topology, from_one));
    auto best = static_cast<TopologyNode>(topology.hosts.size());
    for (TopologyNode node = best; node < topology.node_count(); ++node)
        if (std::max(from_one[node], from_other[node]) < std::max(from_one[best], from_other[best]))
            best = node;
    return best;
}

TopologyQuery::TopologyQuery(const Topology& topology) : TopologyQuery(topology, centre(topology)) {}

TopologyQuery::TopologyQuery(const Topology& topology, TopologyNode root)
    : root_(root),
      parent_(topology.node_count(), root),
      parent_link_(topology.node_count(), {root, root}),
      is_mesh_(topology.node_count(), false),
      depth_(topology.node_count(), 0),
      children_(topology.node_count()),
      first_host_(topology.node_count(), 0),
      last_host_(topology.node_count(), 0) {
    for (const TopologyNode node : topology.meshes)
        is_mesh_[node] = true;
    visit_from_root(topology);
    order_hosts(topology);
}

void TopologyQuery::visit_from_root(const Topology& topology) {
    const TopologyAdjacency adjacency(topology);
    std::vector<TopologyNode> visited{root_};
    for (std::size_t i = 0; i < visited.size(); ++i) {
        const TopologyNode node = visited[i];
        for (const TopologyNeighbour& next : adjacency.neighbours(node)) {
            if (next.node == parent_[node]) continue;
            parent_[next.node] = node;
            parent_link_[next.node] = topology.links[next.link];
            parent_link_[next.node].a = node;
            parent_link_[next.node].b = next.node;
            depth_[next.node] = depth_[node] + 1;
            children_[node].push_back(next.node);
            visited.push_back(next.node);
        }
    }
    order_children(topology, visited);
}

void TopologyQuery::order_children(const Topology& topology, const std::vector<TopologyNode>& visited) {
    std::vector<TopologyNode> lowest_host(topology.node_count(), std::numeric_limits<TopologyNode>::max());
    for (auto node = visited.rbegin(); node != visited.rend(); ++node) {
        if (topology.is_host(*node)) lowest_host[*node] = std::min(lowest_host[*node], *node);
        lowest_host[parent_[*node]] = std::min(lowest_host[parent_[*node]], lowest_host[*node]);
    }
    for (auto& siblings : children_)
        std::ranges::stable_sort(siblings, {}, [&](TopologyNode node) { return lowest_host[node]; });
}

void TopologyQuery::order_hosts(const Topology& topology) {
    std::vector<std::size_t> next_child(topology.node_count(), 0);
    std::vector<TopologyNode> open{root_};
    while (!open.empty()) {
        const TopologyNode node = open.back();
        if (next_child[node] == 0) {
            first_host_[node] = host_order_.size();
            if (topology.is_host(node)) host_order_.push_back(node);
        }
        if (next_child[node] < children_[node].size()) {
            open.push_back(children_[node][next_child[node]++]);
        } else {
            last_host_[node] = host_order_.size();
            open.pop_back();
        }
    }
}

std::span<const TopologyNode> TopologyQuery::hosts_below(TopologyNode node) const {
    return std::span(host_order_).subspan(first_host_[node], last_host_[node] - first_host_[node]);
}

TopologyNode TopologyQuery::meeting_point(TopologyNode a, TopologyNode b) const {
    while (depth_[a] > depth_[b])
        a = parent_[a];
    while (depth_[b] > depth_[a])
        b = parent_[b];
    while (a != b) {
        a = parent_[a];
        b = parent_[b];
    }
    return a;
}

Delay TopologyQuery::climb(TopologyNode from, TopologyNode ancestor) const {
    Delay sum{0};
    for (; from != ancestor; from = parent_[from])
        sum += parent_link_[from].delay;
    return sum;
}

Delay TopologyQuery::distance(TopologyNode a, TopologyNode b) const {
    const TopologyNode top = meeting_point(a, b);
    return climb(a, top) + climb(b, top);
}

std::size_t TopologyQuery::hops(TopologyNode a, TopologyNode b) const {
    return depth_[a] + depth_[b] - 2 * depth_[meeting_point(a, b)];
}

std::vector<TopologyNode> TopologyQuery::path(TopologyNode a, TopologyNode b) const {
    const TopologyNode top = meeting_point(a, b);
    std::vector<TopologyNode> nodes;
    for (; a != top; a = parent_[a])
        nodes.push_back(a);
    nodes.push_back(top);
    const auto middle = static_cast<std::ptrdiff_t>(nodes.size());
    for (; b != top; b = parent_[b])
        nodes.push_back(b);
    std::reverse(nodes.begin() + middle, nodes.end());
    return nodes;
}

std::size_t TopologyQuery::shared_links(TopologyNode a, TopologyNode b, TopologyNode c,
                                        TopologyNode d) const {
    // In a tree the two largest of the three sums of opposite distances are equal, and exceed the third by
    // twice the middle part of the four-point star; a-b and c-d share that middle unless theirs is the
    // smallest sum.
    const std::size_t own = hops(a, b) + hops(c, d);
    const std::size_t crossed = std::min(hops(a, c) + hops(b, d), hops(a, d) + hops(b, c));
    return own > crossed ? (own - crossed) / 2 : 0;
}

SharedLink TopologyQuery::shared_link_answer(TopologyNode a, TopologyNode b, TopologyNode c,
                                             TopologyNode d) const {
    if (a == b || c == d) return SharedLink::no;
    if (share_link(a, b, c, d)) {
        const std::vector<TopologyNode> common = path(middle(a, b, c), middle(a, b, d));
        for (std::size_t i = 1; i < common.size(); ++i)
            if (is_one_cable(common[i - 1], common[i])) return SharedLink::yes;
        return SharedLink::unknown;
    }
    // Paths without a common link have at most one common node: that of a-b which is nearest to c.
    const TopologyNode nearest = middle(a, b, c);
    const bool meet = middle(c, d, nearest) == nearest;
    return meet && is_mesh_[nearest] ? SharedLink::unknown : SharedLink::no;
}

bool TopologyQuery::is_one_cable(TopologyNode a, TopologyNode b) const {
    const auto is_host = [this](TopologyNode node) { return node < host_order_.size(); };
    return is_host(a) || is_host(b) || (!is_mesh_[a] && !is_mesh_[b]);
}

// Where the paths between three nodes meet: the deepest of the three meeting points.
TopologyNode TopologyQuery::middle(TopologyNode a, TopologyNode b, TopologyNode c) const {
    const TopologyNode tops[] = {meeting_point(a, b), meeting_point(a, c), meeting_point(b, c)};
    return *std::ranges::max_element(tops, {}, [&](TopologyNode node) { return depth_[node]; });
}

}  // namespace trellis
