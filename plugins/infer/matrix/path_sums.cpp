#include "plugins/infer/matrix/path_sums.hpp"

#include "agentd/model/topology_adjacency.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::infer {

PathSums::PathSums(std::size_t node_count, std::span<const TopologyLink> links, const RttMatrix& matrix)
    : parent_(node_count), first_(node_count), last_(node_count), of_nodes_(node_count) {
    root(links);
    for (const TopologyLink& link : links)
        below_.push_back(link.a != 0 && parent_[link.a] == link.b ? link.a : link.b);
    meet(matrix);
}

void PathSums::root(std::span<const TopologyLink> links) {
    const TopologyAdjacency adjacency(parent_.size(), links);
    std::vector<TopologyNode> open{0};
    while (!open.empty()) {
        const TopologyNode node = open.back();
        open.pop_back();
        first_[node] = order_.size();
        last_[node] = first_[node] + 1;
        order_.push_back(node);
        for (const TopologyNeighbour& neighbour : adjacency.neighbours(node)) {
            if (node != 0 && neighbour.node == parent_[node]) continue;
            parent_[neighbour.node] = node;
            open.push_back(neighbour.node);
        }
    }
    inwards_.assign(order_.rbegin(), order_.rend() - 1);
    for (const TopologyNode node : inwards_)
        last_[parent_[node]] = std::max(last_[parent_[node]], last_[node]);
}

// Two hosts meet where the hosts below one child join those of the node and of its children before.
void PathSums::meet(const RttMatrix& matrix) {
    pairs_.reserve(matrix.measured_pairs());
    std::vector<std::vector<TopologyNode>> hosts(order_.size());
    for (TopologyNode host = 0; host < matrix.size(); ++host)
        hosts[host].push_back(host);
    for (const TopologyNode node : inwards_) {
        std::vector<TopologyNode> joining = std::move(hosts[node]);
        std::vector<TopologyNode>& before = hosts[parent_[node]];
        for (const TopologyNode a : before)
            for (const TopologyNode b : joining)
                if (matrix.measured(a, b)) pairs_.push_back({a, b, parent_[node]});
        if (before.size() < joining.size()) before.swap(joining);
        before.insert(before.end(), joining.begin(), joining.end());
    }
}

void PathSums::along(std::span<const double> of_links, std::vector<double>& of_pairs) const {
    of_nodes_.assign(order_.size(), 0);
    for (std::size_t link = 0; link < link_count(); ++link)
        of_nodes_[below_[link]] = of_links[link];
    for (const TopologyNode node : std::span(order_).subspan(1))
        of_nodes_[node] += of_nodes_[parent_[node]];
    of_pairs.resize(pairs_.size());
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const Pair& pair = pairs_[k];
        of_pairs[k] = of_nodes_[pair.a] + of_nodes_[pair.b] - 2 * of_nodes_[pair.meeting];
    }
}

void PathSums::across(std::span<const double> of_pairs, std::vector<double>& of_links) const {
    of_nodes_.assign(order_.size(), 0);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const Pair& pair = pairs_[k];
        of_nodes_[pair.a] += of_pairs[k];
        of_nodes_[pair.b] += of_pairs[k];
        of_nodes_[pair.meeting] -= 2 * of_pairs[k];
    }
    for (const TopologyNode node : inwards_)
        of_nodes_[parent_[node]] += of_nodes_[node];
    of_links.resize(link_count());
    for (std::size_t link = 0; link < link_count(); ++link)
        of_links[link] = of_nodes_[below_[link]];
}

// For each two nodes: the sum over the pairs with one host below each, a pair of which both are below both
// twice.
std::vector<double> PathSums::between_subtrees(std::span<const double> of_pairs) const {
    const std::size_t count = order_.size();
    std::vector<double> sums(count * count);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        sums[pairs_[k].a * count + pairs_[k].b] = of_pairs[k];
        sums[pairs_[k].b * count + pairs_[k].a] = of_pairs[k];
    }
    for (std::size_t row = 0; row < count; ++row)
        for (const TopologyNode node : inwards_)
            sums[row * count + parent_[node]] += sums[row * count + node];
    for (const TopologyNode node : inwards_)
        for (std::size_t column = 0; column < count; ++column)
            sums[parent_[node] * count + column] += sums[node * count + column];
    return sums;
}

std::vector<double> PathSums::across_both(std::span<const double> of_pairs) const {
    const std::vector<double> between = between_subtrees(of_pairs);
    const auto from_to = [&](TopologyNode a, TopologyNode b) { return between[a * order_.size() + b]; };
    std::vector<double> sums(link_count() * link_count());
    for (std::size_t one = 0; one < link_count(); ++one)
        for (std::size_t other = 0; other < link_count(); ++other) {
            const TopologyNode a = below_[one], b = below_[other];
            double& sum = sums[one * link_count() + other];
            if (is_below(a, b))
                sum = from_to(a, 0) - from_to(a, b);
            else if (is_below(b, a))
                sum = from_to(b, 0) - from_to(b, a);
            else
                sum = from_to(a, b);
        }
    return sums;
}

}  // namespace trellis::plugins::infer
