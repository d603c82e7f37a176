#include "plugins/infer/matrix/binary_tree.hpp"

#include "agentd/model/topology_query.hpp"
#include "plugins/infer/matrix/neighbour_joining.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trellis::plugins::infer {

// A switch's links are given to it and, beyond three, to a chain of further ones.
BinaryTree::BinaryTree(const Topology& topology)
    : hosts_(topology.hosts.size()), ends_(2 * topology.hosts.size() - 2) {
    const Topology visible = visible_part(topology);
    std::vector<std::size_t> links_left(visible.node_count());
    for (const TopologyLink& link : visible.links)
        for (const TopologyNode node : {link.a, link.b})
            ++links_left[node];
    std::vector<TopologyNode> holder(visible.node_count());
    std::iota(holder.begin(), holder.end(), TopologyNode{0});
    auto next = static_cast<TopologyNode>(visible.node_count());
    const auto place_for_link = [&](TopologyNode node) {
        TopologyNode& at = holder[node];
        if (links_left[node]-- >= 2 && ends_[at][1].node != none) {
            link(at, next, 0);
            at = next++;
        }
        return at;
    };
    for (const TopologyLink& given : visible.links) {
        const TopologyNode a = place_for_link(given.a);
        const TopologyNode b = place_for_link(given.b);
        link(a, b, 2 * given.delay.count());
    }
}

void BinaryTree::link(TopologyNode a, TopologyNode b, double length) {
    end(a, none) = {b, length};
    end(b, none) = {a, length};
}

BinaryTree::End& BinaryTree::end(TopologyNode at, TopologyNode to) {
    return *std::ranges::find(ends_[at], to, &End::node);
}

bool BinaryTree::linked(TopologyNode a, TopologyNode b) const {
    return std::ranges::find(ends_[a], b, &End::node) != ends_[a].end();
}

void BinaryTree::set_length(TopologyNode a, TopologyNode b, double length) {
    end(a, b).length = end(b, a).length = length;
}

void BinaryTree::take_out(TopologyNode node, TopologyNode a, TopologyNode b) {
    End& to_a = end(node, a);
    End& to_b = end(node, b);
    const double length = to_a.length + to_b.length;
    end(a, node) = {b, length};
    end(b, node) = {a, length};
    to_a.node = to_b.node = none;
}

void BinaryTree::put_between(TopologyNode node, End a, End b) {
    end(a.node, b.node) = {node, a.length};
    end(b.node, a.node) = {node, b.length};
    end(node, none) = a;
    end(node, none) = b;
}

std::vector<TopologyLink> BinaryTree::links() const {
    std::vector<TopologyLink> links;
    for (TopologyNode node = 0; node < size(); ++node)
        for (const End& end : ends_[node])
            if (end.node != none && node < end.node) links.push_back({node, end.node, Delay{end.length / 2}});
    return links;
}

void BinaryTree::distances(TopologyNode from, TopologyNode barred, std::vector<double>& out) const {
    out.assign(size(), -1);
    out[from] = 0;
    open_.assign(1, from);
    while (!open_.empty()) {
        const TopologyNode node = open_.back();
        open_.pop_back();
        for (const End& end : ends_[node]) {
            if (end.node == none || end.node == barred || out[end.node] >= 0) continue;
            out[end.node] = out[node] + end.length;
            open_.push_back(end.node);
        }
    }
}

Topology contract(const Topology& topology, const std::function<bool(const TopologyLink&)>& chosen) {
    std::vector<TopologyNode> kept(topology.node_count());
    std::iota(kept.begin(), kept.end(), TopologyNode{0});
    const auto representative = [&](TopologyNode node) {
        while (kept[node] != node)
            node = kept[node] = kept[kept[node]];
        return node;
    };
    const auto goes = [&](const TopologyLink& link) {
        return !topology.is_host(link.a) && !topology.is_host(link.b) && chosen(link);
    };
    for (const TopologyLink& link : topology.links)
        if (goes(link)) kept[representative(link.a)] = representative(link.b);

    std::vector<TopologyNode> number(topology.node_count());
    TopologyNode count = 0;
    for (TopologyNode node = 0; node < topology.node_count(); ++node)
        if (representative(node) == node) number[node] = count++;
    std::vector<TopologyLink> links;
    for (TopologyLink link : topology.links) {
        if (goes(link)) continue;
        link.a = number[representative(link.a)];
        link.b = number[representative(link.b)];
        links.push_back(link);
    }
    return named_topology(topology.hosts, count, std::move(links));
}

}  // namespace trellis::plugins::infer
