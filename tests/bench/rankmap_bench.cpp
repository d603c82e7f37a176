// What the placements of rankmap are worth and how long they take, of programs with 121 to 4,096 ranks on
// trees of switches: a row for each method in a markdown table. Usage: rankmap_bench
#include "plugins/rankmap/placing.hpp"
#include "plugins/rankmap/traffic_patterns.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::rankmap {
namespace {

struct Shape {
    TopologyNode cores, edges, hosts;  // switches below the root, switches below each, hosts on each of these
    std::uint32_t slots;
};

Site site_of(const Shape& shape) {
    Topology topology;
    const TopologyNode all = shape.cores * shape.edges * shape.hosts;
    for (TopologyNode host = 0; host < all; ++host)
        topology.hosts.push_back("h" + std::to_string(host * 7919U % 10007U));
    const auto add_switch = [&](TopologyNode above, double delay) {
        const auto added = static_cast<TopologyNode>(topology.node_count());
        topology.switches.push_back("s" + std::to_string(topology.switches.size()));
        if (above != added) topology.links.push_back({above, added, Delay(delay)});
        return added;
    };
    const TopologyNode root = add_switch(all, 0);
    for (TopologyNode core = 0, host = 0; core < shape.cores; ++core) {
        const TopologyNode middle = shape.cores > 1 ? add_switch(root, 100) : root;
        for (TopologyNode edge = 0; edge < shape.edges; ++edge) {
            const TopologyNode lowest = add_switch(middle, 50);
            for (TopologyNode i = 0; i < shape.hosts; ++i)
                topology.links.push_back({host++, lowest, Delay(25)});
        }
    }
    return {std::move(topology), std::vector<std::uint32_t>(all, shape.slots)};
}

void measure(const Shape& shape, const char* pattern, std::size_t ranks) {
    const Site site = site_of(shape);
    const Traffic traffic = pattern_traffic(pattern, ranks).value();
    const auto costs = link_costs(site.topology, CostMeasure::delay, nullptr).value();
    std::printf("| %zu x %s, %u switches of %u x %u |", ranks, pattern, shape.cores * shape.edges,
                shape.hosts, shape.slots);
    const auto begun = std::chrono::steady_clock::now();
    const auto placed = place({site, traffic, costs},
                              {Method::by_lot, Method::by_name, Method::depth_first, Method::pattern});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    for (const Placed& one : placed)
        std::printf(" %.2f (%.0f us) |", one.objective.between_switches, one.objective.cost);
    std::printf(" %.2f |\n", taken.count());
    std::fflush(stdout);
}

}  // namespace
}  // namespace trellis::plugins::rankmap

int main() {
    using namespace trellis::plugins::rankmap;
    std::puts(
        "Share of the traffic between switches (and the mean cost of a message, by delay), and seconds for "
        "all of a row.\n");
    std::puts("| ranks | random | name | depth-first | pattern | s |\n|---|---|---|---|---|---|");
    measure({1, 8, 16, 1}, "multipartition", 121);
    measure({1, 8, 16, 1}, "ring", 121);
    measure({4, 8, 16, 2}, "multipartition", 1024);
    measure({16, 16, 16, 1}, "multipartition", 4096);
    measure({16, 16, 16, 1}, "halo-2d", 4096);
    measure({16, 16, 16, 1}, "halo-3d", 4096);
    measure({4, 8, 16, 8}, "halo-3d", 4096);
    measure({16, 16, 16, 1}, "binomial", 4096);
    measure({16, 16, 16, 1}, "all-to-all", 4096);
    return 0;
}
