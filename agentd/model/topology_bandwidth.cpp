#include "agentd/model/topology_bandwidth.hpp"

#include "agentd/model/directed_paths.hpp"
#include "agentd/model/topology_query.hpp"

#include <cstdio>
#include <limits>

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

std::string rate_text(double bits_per_second) {
    const RateUnit unit = rate_unit(bits_per_second);
    return three_digits_of_rate(bits_per_second / unit.divisor) + " " + unit.name;
}

std::string bandwidth_text(const LinkBandwidth& bandwidth) {
    if (bandwidth.kind == LinkBandwidth::Kind::not_measured) return "not measured";
    const std::string rate = rate_text(bandwidth.bits_per_second);
    if (bandwidth.kind == LinkBandwidth::Kind::at_least) return ">= " + rate;
    if (bandwidth.standard_error <= 0) return rate;
    const double divisor = rate_unit(bandwidth.bits_per_second).divisor;
    return rate + " ± " + three_digits_of_rate(bandwidth.standard_error / divisor);
}

std::string bandwidth_tree_text(const TopologyBandwidth& tree) {
    std::string text;
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
        const TopologyLink& link = tree.topology.links[i];
        text += tree.topology.name(link.a) + " - " + tree.topology.name(link.b) + "  " +
                bandwidth_text(tree.links[i][0]) + ", back " + bandwidth_text(tree.links[i][1]) + "\n";
    }
    return text;
}

}  // namespace trellis
