#include "tests/sim/source_networks.hpp"

#include "tests/sim/network_sketch.hpp"

#include <cstdio>
#include <string>

namespace trellis::sim {
namespace {

// One-way delays of the links of a cluster. Lan: 80 us of round trip on one switch, 10 more for two links
// more. Tight: 60 and 8.
struct ClusterLinks {
    Delay host;
    Delay trunk;
};
constexpr ClusterLinks lan_links{Delay{20}, Delay{2.5}};
constexpr ClusterLinks tight_links{Delay{15}, Delay{2}};

// Switches of a cluster: the parent of each (the first has none), and those that carry hosts.
struct ClusterShape {
    std::vector<std::size_t> parent;
    std::vector<std::size_t> with_hosts;
};
const ClusterShape three_levels{{0, 0, 0, 1, 1, 2, 2}, {3, 4, 5, 6}};
const ClusterShape cross{{0, 0, 0, 0, 0}, {1, 2, 3, 4}};
const ClusterShape row{{0, 0, 1, 2, 3}, {0, 1, 2, 3, 4}};

// Returns its first switch.
std::size_t add_cluster(NetworkSketch& sketch, char letter, std::size_t hosts, const ClusterShape& shape,
                        ClusterLinks links, const NoiseProfile& profile) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < shape.parent.size(); ++i) {
        const auto added = sketch.add_switch("switch-" + std::string(1, letter) + std::to_string(i));
        if (i == 0) first = added;
        if (i > 0) sketch.join(added, first + shape.parent[i], links.trunk);
    }
    sketch.add_cluster(profile);
    for (std::size_t i = 0; i < hosts; ++i) {
        char name[32];
        std::snprintf(name, sizeof name, "%c%02zu", letter, i);
        sketch.add_host(name, first + shape.with_hosts[i * shape.with_hosts.size() / hosts], links.host);
    }
    return first;
}

// As the source's clocks count (its section 4.2). With it a set ends sooner, because a minimum is less often
// improved.
NoisyNetwork with_clocks_of_microseconds(NoisyNetwork network) {
    network.clock_step = std::chrono::microseconds(1);
    return network;
}

}  // namespace

NoisyNetwork one_cluster(std::size_t hosts) {
    NetworkSketch sketch;
    add_cluster(sketch, 'a', hosts, three_levels, lan_links, lan_noise);
    return with_clocks_of_microseconds(sketch.build());
}

NoisyNetwork four_clusters(std::size_t hosts_each) {
    NetworkSketch sketch;
    const std::size_t a = add_cluster(sketch, 'a', hosts_each, three_levels, lan_links, lan_noise);
    const std::size_t b = add_cluster(sketch, 'b', hosts_each, cross, tight_links, lan_tight_noise);
    const std::size_t c = add_cluster(sketch, 'c', hosts_each, row, tight_links, lan_tight_noise);
    const std::size_t d = add_cluster(sketch, 'd', hosts_each, three_levels, lan_links, lan_noise);
    const std::size_t west = sketch.add_switch("router-west"), east = sketch.add_switch("router-east");
    sketch.join(west, east, Delay{5});
    sketch.join(a, west, Delay{1000});
    sketch.join(b, west, Delay{1500});
    sketch.join(c, east, Delay{500});
    sketch.join(d, east, Delay{500});
    return with_clocks_of_microseconds(sketch.build());
}

}  // namespace trellis::sim
