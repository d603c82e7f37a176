#include "agentd/model/topology_bandwidth.hpp"

#include "agentd/model/directed_paths.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace trellis {
namespace {

struct RateUnit {
    double divisor;
    const char* name;
};

RateUnit rate_unit(double bits_per_second) {
    if (bits_per_second < 999.5e3) return {1e3, "kbit/s"};
    if (bits_per_second < 999.5e6) return {1e6, "Mbit/s"};
    return {1e9, "Gbit/s"};
}

std::string three_digits_of_rate(double number) {
    char text[32];
    const int decimals = number == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f", decimals, number);
    return text;
}

Result<TopologyNode> host_named(const Topology& topology, std::string_view name) {
    const auto node = find_node(topology, name);
    if (!node || !topology.is_host(*node)) return invalid(std::string(name) + " is no host of this topology");
    return *node;
}

// Of two figures of one kind whether the second is hardly greater or less.
bool hardly_differ(const LinkBandwidth& one, const LinkBandwidth& other) {
    return one.kind == other.kind &&
           std::abs(one.bits_per_second - other.bits_per_second) <= 0.05 * one.bits_per_second;
}

class BandwidthWords final : public LinkWords {
  public:
    explicit BandwidthWords(const TopologyBandwidth& tree) : links_(bandwidths_by_node(tree)) {}

    [[nodiscard]] std::string of_switch(TopologyNode node) const override {
        return bandwidth_text(links_[node]);
    }
    // The slowest stands for all.
    [[nodiscard]] std::string of_hosts(std::span<const TopologyNode> hosts) const override {
        LinkDirections least = links_[hosts.front()];
        for (const TopologyNode host : hosts) {
            least.up = std::min(least.up, links_[host].up, slower);
            least.down = std::min(least.down, links_[host].down, slower);
        }
        const std::string count = hosts.size() == 1 ? "" : std::to_string(hosts.size()) + " hosts, ";
        return count + bandwidth_text(least);
    }
    [[nodiscard]] bool before(TopologyNode host, TopologyNode other) const override {
        return key(host) > key(other);
    }
    [[nodiscard]] bool alike(TopologyNode host, TopologyNode later) const override {
        return hardly_differ(links_[host].up, links_[later].up) &&
               hardly_differ(links_[host].down, links_[later].down);
    }

  private:
    using Key = std::tuple<LinkBandwidth::Kind, LinkBandwidth::Kind, std::int64_t, double>;
    static bool slower(const LinkBandwidth& one, const LinkBandwidth& other) {
        return one.bits_per_second < other.bits_per_second;
    }
    // Down, hosts are in steps of 5%, so that the figures up do not part those that are alike.
    [[nodiscard]] Key key(TopologyNode host) const {
        const auto& [up, down] = links_[host];
        const double step = down.bits_per_second > 0 ? std::log(down.bits_per_second) / 0.05 : 0;
        return {up.kind, down.kind, std::llround(step), up.bits_per_second};
    }

    std::vector<LinkDirections> links_;  // by node
};

// The least of many that are alike is below their true rate by chance: those that may be as slow count
// together.
double mean_of_slowest(const std::vector<LinkBandwidth>& links) {
    if (links.empty()) return 0;
    constexpr double errors = 2;
    const auto slowest = std::ranges::min_element(links, {}, &LinkBandwidth::bits_per_second);
    const double limit = slowest->bits_per_second + errors * slowest->standard_error;
    double sum = 0, count = 0;
    for (const LinkBandwidth& link : links) {
        if (link.bits_per_second - errors * link.standard_error > limit) continue;
        sum += link.bits_per_second;
        ++count;
    }
    return sum / count;
}

}  // namespace

Result<LinkBandwidth> bandwidth_between(const TopologyBandwidth& tree, std::string_view from,
                                        std::string_view to) {
    const Result<TopologyNode> a = host_named(tree.topology, from), b = host_named(tree.topology, to);
    if (!a) return a.error();
    if (!b) return b.error();
    if (*a == *b) return invalid("there is no way from " + std::string(from) + " to itself");
    LinkBandwidth least{LinkBandwidth::Kind::measured, std::numeric_limits<double>::infinity(), 0};
    for (const DirectedLink link : DirectedPaths(tree.topology).path(*a, *b)) {
        const LinkBandwidth& one = tree.links[link_of(link)][link % 2];
        if (one.kind == LinkBandwidth::Kind::not_measured) return one;
        if (one.bits_per_second < least.bits_per_second) least = one;
    }
    return least;
}

double slowest_measured_link(const TopologyBandwidth& tree, const std::vector<std::string>& chain) {
    std::unordered_map<std::string_view, TopologyNode> hosts;
    for (TopologyNode host = 0; host < tree.topology.hosts.size(); ++host)
        hosts[tree.topology.hosts[host]] = host;
    std::vector<TopologyNode> nodes;
    for (const std::string& name : chain)
        if (const auto host = hosts.find(name); host != hosts.end()) nodes.push_back(host->second);
    if (nodes.size() < 2) return 0;
    const DirectedPaths paths(tree.topology);
    std::set<DirectedLink> ways;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        if (nodes[i] == nodes[i - 1]) continue;
        const auto way = paths.path(nodes[i - 1], nodes[i]);
        ways.insert(way.begin(), way.end());
    }
    std::vector<LinkBandwidth> links;
    for (const DirectedLink link : ways) {
        const LinkBandwidth& one = tree.links[link_of(link)][link % 2];
        if (one.kind == LinkBandwidth::Kind::measured) links.push_back(one);
    }
    return mean_of_slowest(links);
}

double LinkDirections::least() const {
    if (up.bits_per_second <= 0 || down.bits_per_second <= 0)
        return std::max(up.bits_per_second, down.bits_per_second);
    return std::min(up.bits_per_second, down.bits_per_second);
}

std::vector<LinkDirections> bandwidths_by_node(const TopologyBandwidth& tree) {
    std::vector<LinkDirections> links(tree.topology.node_count());
    const DirectedPaths paths(tree.topology);
    for (const TopologyNode node : paths.nodes_from_root()) {
        if (node == paths.root()) continue;
        const DirectedLink up = paths.upwards(node), down = opposite(up);
        links[node] = {tree.links[link_of(up)][up % 2], tree.links[link_of(down)][down % 2]};
    }
    return links;
}

std::string rate_text(double bits_per_second) {
    const RateUnit unit = rate_unit(bits_per_second);
    return three_digits_of_rate(bits_per_second / unit.divisor) + " " + unit.name;
}

std::string bandwidth_text(const LinkBandwidth& bandwidth) {
    if (bandwidth.kind == LinkBandwidth::Kind::not_measured) return "not measured";
    std::string rate = rate_text(bandwidth.bits_per_second);
    if (bandwidth.kind == LinkBandwidth::Kind::at_least) return ">= " + rate;
    if (bandwidth.standard_error <= 0) return rate;
    const double divisor = rate_unit(bandwidth.bits_per_second).divisor;
    return rate + " ± " + three_digits_of_rate(bandwidth.standard_error / divisor);
}

std::string bandwidth_text(const LinkDirections& link) {
    if (!hardly_differ(link.up, link.down))
        return "-> " + bandwidth_text(link.up) + ", <- " + bandwidth_text(link.down);
    return bandwidth_text(link.up.bits_per_second <= link.down.bits_per_second ? link.up : link.down);
}

std::string bandwidth_tree_text(const TopologyBandwidth& tree) {
    if (tree.topology.node_count() == 0) return "(no hosts)\n";
    return topology_text(tree.topology, BandwidthWords(tree));
}

}  // namespace trellis
