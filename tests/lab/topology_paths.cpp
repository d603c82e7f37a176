#include "tests/lab/topology_file.hpp"

#include <algorithm>

namespace trellis::lab {

std::vector<std::string> node_names(const TopologyFile& file) {
    std::vector<std::string> names;
    for (const Node& node : file.nodes)
        names.push_back(node.name);
    return names;
}

std::vector<ParentLink> parent_links(const TopologyFile& file) {
    std::vector<ParentLink> links;
    for (const Node& node : file.nodes) {
        if (node.parent != no_node) links.push_back({node.name, file.nodes[node.parent].name, node.up});
    }
    return links;
}

std::optional<std::size_t> find_node(const TopologyFile& file, std::string_view name) {
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        if (file.nodes[i].name == name) return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> find_host(const TopologyFile& file, std::string_view name) {
    for (std::size_t i = 0; i < file.hosts.size(); ++i) {
        if (file.hosts[i].name == name) return i;
    }
    return std::nullopt;
}

namespace {

// The link between two named neighbours, where the first is the lower end.
std::optional<std::size_t> find_edge(const TopologyFile& file, std::string_view child,
                                     std::string_view parent) {
    auto upper = find_node(file, parent);
    if (!upper) return std::nullopt;
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        const Node& node = file.nodes[i];
        bool named = node.name == child || (!node.is_switch() && file.hosts[node.host].name == child);
        if (named && node.parent == *upper) return i;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::size_t> find_link(const TopologyFile& file, std::string_view name) {
    if (auto node = find_node(file, name)) {
        if (file.nodes[*node].parent == no_node) return std::nullopt;
        return node;
    }
    for (auto dash = name.find('-'); dash != std::string_view::npos; dash = name.find('-', dash + 1)) {
        auto left = name.substr(0, dash), right = name.substr(dash + 1);
        if (auto edge = find_edge(file, left, right)) return edge;
        if (auto edge = find_edge(file, right, left)) return edge;
    }
    return std::nullopt;
}

std::vector<std::size_t> tree_path(const TopologyFile& file, std::size_t from, std::size_t to) {
    std::vector<std::size_t> up{from}, down{to};
    while (up.back() != down.back()) {
        bool climb = file.nodes[up.back()].depth >= file.nodes[down.back()].depth;
        auto& side = climb ? up : down;
        std::size_t parent = file.nodes[side.back()].parent;
        if (parent == no_node) return {};
        side.push_back(parent);
    }
    down.pop_back();
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

std::optional<std::chrono::nanoseconds> one_way_delay(const TopologyFile& file, std::size_t from,
                                                      std::size_t to) {
    auto path = tree_path(file, from, to);
    if (path.empty()) return std::nullopt;
    std::chrono::nanoseconds sum{0};
    for (std::size_t i = 1; i < path.size(); ++i) {
        bool climbing = file.nodes[path[i - 1]].parent == path[i];
        sum += file.nodes[climbing ? path[i - 1] : path[i]].up.delay;
    }
    return sum;
}

std::optional<std::chrono::nanoseconds> one_way_delay(const TopologyFile& file, std::string_view from,
                                                      std::string_view to) {
    auto a = find_host(file, from), b = find_host(file, to);
    if (!a || !b) return std::nullopt;
    if (*a == *b) return std::chrono::nanoseconds{0};
    for (std::size_t x : file.hosts[*a].nics) {
        for (std::size_t y : file.hosts[*b].nics) {
            if (auto delay = one_way_delay(file, x, y)) return delay;
        }
    }
    return std::nullopt;
}

}  // namespace trellis::lab
