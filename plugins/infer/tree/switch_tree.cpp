#include "plugins/infer/tree/switch_tree.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::infer {

SwitchTree SwitchTree::star(std::size_t hosts) {
    SwitchTree tree(hosts);
    const Node centre = tree.add_switch();
    for (Node host = 0; host < hosts; ++host)
        tree.link(host, centre, 0);
    return tree;
}

Node SwitchTree::add_switch() {
    edges_.emplace_back();
    return static_cast<Node>(nodes() - 1);
}

std::vector<Node> SwitchTree::graft(const SwitchTree& other, std::span<const Node> hosts) {
    std::vector<Node> here(hosts.begin(), hosts.end());
    while (here.size() < other.nodes())
        here.push_back(add_switch());
    for (Node node = 0; node < other.nodes(); ++node)
        for (const TreeEdge& edge : other.edges(node))
            if (edge.to > node) link(here[node], here[edge.to], edge.rtt_us);
    return here;
}

std::vector<Node> SwitchTree::switches() const {
    std::vector<Node> found;
    for (auto node = static_cast<Node>(hosts_); node < nodes(); ++node)
        if (!edges_[node].empty()) found.push_back(node);
    return found;
}

bool SwitchTree::carries_hosts(Node node) const {
    return std::ranges::any_of(edges_[node], [&](const TreeEdge& edge) { return is_host(edge.to); });
}

std::vector<std::pair<Node, Node>> SwitchTree::links() const {
    std::vector<std::pair<Node, Node>> result;
    for (const Node node : switches())
        for (const TreeEdge& edge : edges_[node])
            if (!is_host(edge.to) && edge.to > node) result.emplace_back(node, edge.to);
    return result;
}

std::vector<std::vector<Node>> SwitchTree::branches(Node node) const {
    std::vector<std::vector<Node>> result(edges_[node].size());
    std::vector<std::pair<Node, Node>> open;  // a node and the one before it
    for (std::size_t b = 0; b < result.size(); ++b) {
        open.assign(1, {edges_[node][b].to, node});
        while (!open.empty()) {
            const auto [at, before] = open.back();
            open.pop_back();
            if (is_host(at)) result[b].push_back(at);
            for (const TreeEdge& edge : edges_[at])
                if (edge.to != before) open.emplace_back(edge.to, at);
        }
    }
    return result;
}

std::vector<Node> SwitchTree::hosts_beyond(Node a, Node b) const {
    return branches(a)[place(a, b)];
}

LinkBranches SwitchTree::branches_of_both(Node a, Node b) const {
    LinkBranches both;
    for (const auto& [end, other] : {std::pair(a, b), std::pair(b, a)}) {
        std::vector<std::vector<Node>> own = branches(end);
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (edges_[end][i].to == other) continue;
            both.hosts.push_back(std::move(own[i]));
            both.second.push_back(end == b);
        }
    }
    return both;
}

std::vector<double> SwitchTree::distances(Node from) const {
    std::vector<double> result(nodes(), 0);
    std::vector<std::pair<Node, Node>> open{{from, from}};
    while (!open.empty()) {
        const auto [at, before] = open.back();
        open.pop_back();
        for (const TreeEdge& edge : edges_[at]) {
            if (edge.to == before) continue;
            result[edge.to] = result[at] + edge.rtt_us;
            open.emplace_back(edge.to, at);
        }
    }
    return result;
}

void SwitchTree::set_length(Node a, Node b, double rtt_us) {
    edges_[a][place(a, b)].rtt_us = edges_[b][place(b, a)].rtt_us = rtt_us;
}

double SwitchTree::length(Node a, Node b) const {
    return edges_[a][place(a, b)].rtt_us;
}

Node SwitchTree::split(Node node, const std::vector<bool>& moved) {
    const Node added = add_switch();
    const std::vector<TreeEdge> before = edges_[node];
    for (std::size_t b = 0; b < before.size(); ++b) {
        if (!moved[b]) continue;
        unlink(node, before[b].to);
        link(added, before[b].to, before[b].rtt_us);
    }
    link(node, added, 0);
    return added;
}

void SwitchTree::merge(Node a, Node b) {
    unlink(a, b);
    for (const TreeEdge& edge : std::vector<TreeEdge>(edges_[b])) {
        unlink(b, edge.to);
        link(a, edge.to, edge.rtt_us);
    }
}

void SwitchTree::move(Node top, Node from, Node to) {
    const double rtt_us = length(top, from);
    unlink(top, from);
    link(top, to, rtt_us);
    tidy(from);
}

Node SwitchTree::split_link(Node a, Node b) {
    const Node added = add_switch();
    const double half = length(a, b) / 2;
    unlink(a, b);
    link(a, added, half);
    link(added, b, half);
    return added;
}

std::size_t SwitchTree::place(Node of, Node to) const {
    return static_cast<std::size_t>(std::ranges::find(edges_[of], to, &TreeEdge::to) - edges_[of].begin());
}

void SwitchTree::link(Node a, Node b, double rtt_us) {
    edges_[a].push_back({b, rtt_us});
    edges_[b].push_back({a, rtt_us});
}

void SwitchTree::unlink(Node a, Node b) {
    edges_[a].erase(edges_[a].begin() + static_cast<std::ptrdiff_t>(place(a, b)));
    edges_[b].erase(edges_[b].begin() + static_cast<std::ptrdiff_t>(place(b, a)));
}

void SwitchTree::tidy(Node node) {
    if (edges_[node].size() != 2) return;
    const TreeEdge one = edges_[node][0], other = edges_[node][1];
    unlink(node, one.to);
    unlink(node, other.to);
    link(one.to, other.to, one.rtt_us + other.rtt_us);
}

}  // namespace trellis::plugins::infer
