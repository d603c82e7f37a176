#include "tests/sim/infer_families.hpp"

#include "tests/sim/grid5000_network.hpp"
#include "tests/sim/infiniband_network.hpp"
#include "tests/sim/network_sketch.hpp"
#include "tests/sim/source_networks.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace trellis::sim {
namespace {

constexpr Delay usual_host_link{20};  // 80 us of round trip on one switch
constexpr Delay usual_trunk{5};       // 10 us for one more

// Four switches in a random tree, the hosts of a new cluster over them; returns one of the switches.
std::size_t add_four_switches(NetworkSketch& sketch, const std::string& name, std::size_t hosts) {
    constexpr std::size_t count = 4, fewest_hosts = 4;
    std::vector<std::size_t> switches;
    sketch.add_cluster(lan_noise);
    std::size_t number = 0;
    for (const std::size_t part : sketch.parts(hosts, count, fewest_hosts)) {
        const std::size_t added = sketch.add_switch("switch-" + name + std::to_string(switches.size()));
        if (!switches.empty())
            sketch.join(added, switches[sketch.below(switches.size())], sketch.around(usual_trunk));
        switches.push_back(added);
        for (std::size_t i = 0; i < part; ++i)
            sketch.add_host(name + std::to_string(number++), added, sketch.around(usual_host_link));
    }
    return switches[sketch.below(count)];
}

NoisyNetwork systematic(std::uint64_t seed) {
    NoisyNetwork network = lan_of_four_switches(seed);
    network.profile = {systematic_noise(2 * usual_trunk)};
    return network;
}

// One of them or three.
NoisyNetwork throttled(std::uint64_t seed) {
    NoisyNetwork network = lan_of_four_switches(seed);
    std::vector<TopologyNode> hosts(network.truth.hosts.size());
    for (TopologyNode i = 0; i < hosts.size(); ++i)
        hosts[i] = i;
    std::mt19937_64 random(seed);
    std::ranges::sample(hosts, std::back_inserter(network.throttled), seed % 2 == 1 ? 1 : 3, random);
    return network;
}

// Joins switches to `count` new ones above them, two or more to each.
std::vector<std::size_t> add_level(NetworkSketch& sketch, const std::vector<std::size_t>& lower,
                                   std::size_t count, const std::string& name) {
    std::vector<std::size_t> upper;
    std::size_t next = 0;
    for (const std::size_t part : sketch.parts(lower.size(), count, 2)) {
        upper.push_back(sketch.add_switch(name + std::to_string(upper.size())));
        for (std::size_t i = 0; i < part; ++i)
            sketch.join(lower[next++], upper.back(), sketch.around(usual_trunk));
    }
    return upper;
}

// For three switches with two or more each.
constexpr std::size_t fewest_below_a_level = 6;

// Switches with 16 to 48 hosts each.
std::vector<std::size_t> add_leaves(NetworkSketch& sketch, std::size_t hosts) {
    std::vector<std::size_t> leaves;
    for (std::size_t made = 0; made < hosts;) {
        const std::size_t left = hosts - made, wanted = 16 + sketch.below(33);
        const std::size_t all_but_a_leaf = std::min<std::size_t>(wanted, left - 16);
        const std::size_t here = left <= 48 ? left : all_but_a_leaf;
        leaves.push_back(sketch.add_switch("leaf" + std::to_string(leaves.size())));
        for (std::size_t i = 0; i < here; ++i)
            sketch.add_host("h" + std::to_string(made++), leaves.back(), sketch.around(usual_host_link));
    }
    return leaves;
}

void add_real_networks(std::vector<InferFamily>& all, const std::string& data) {
    for (const std::string name : {"plafrim", "plafrim2"}) {
        all.push_back(
            {name, "the InfiniBand network of " + name + " with its routes, which are no tree",
             [data, name](std::uint64_t seed) { return infiniband_network(data + "/ibtopo", name, seed); }});
    }
    all.push_back({"grid5000", "320 hosts of the 40 clusters of Grid'5000",
                   [data](std::uint64_t seed) { return grid5000_network(data + "/simgrid/g5k.xml", seed); }});
}

}  // namespace

NoisyNetwork lan_of_four_switches(std::uint64_t seed) {
    NetworkSketch sketch(seed);
    add_four_switches(sketch, "h", 64);
    return sketch.build_shuffled();
}

NoisyNetwork clusters_at_two_routers(std::uint64_t seed, const NoiseProfile& between) {
    NetworkSketch sketch(seed);
    const std::size_t routers[] = {sketch.add_switch("router-west"), sketch.add_switch("router-east")};
    sketch.join(routers[0], routers[1], sketch.around(usual_trunk));
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t gate = add_four_switches(sketch, std::string(1, static_cast<char>('a' + i)), 64);
        sketch.join(gate, routers[i / 2], Delay{sketch.between(500, 1450)});
    }
    NoisyNetwork network = sketch.build_shuffled();
    network.between = between;
    return network;
}

NoisyNetwork levels_of_switches(std::size_t hosts, std::uint64_t seed) {
    NetworkSketch sketch(seed);
    sketch.add_cluster(lan_noise);
    std::vector<std::size_t> top = add_leaves(sketch, hosts);
    const std::size_t levels = 2 + sketch.below(2);
    const double fan = std::pow(static_cast<double>(top.size()), 1 / static_cast<double>(levels));
    for (std::size_t level = 1; level < levels && top.size() >= fewest_below_a_level; ++level) {
        const double count = std::pow(fan, static_cast<double>(levels - level));
        top = add_level(sketch, top, std::max<std::size_t>(3, static_cast<std::size_t>(count)),
                        "level" + std::to_string(level) + "-");
    }
    add_level(sketch, top, 1, "top");
    return sketch.build_shuffled();
}

std::vector<InferFamily> infer_families(const std::string& data) {
    std::vector<InferFamily> all{
        {"lan", "64 hosts on 4 switches", lan_of_four_switches},
        {"wan",
         "256 hosts in 4 clusters of 4 switches, 2 to 6 ms apart, at two routers joined by a link of 5 us",
         [](std::uint64_t seed) { return clusters_at_two_routers(seed, wan_noise); }},
        {"wan-rough", "the same, noise between clusters ten times that of wan, a hundred times the LAN's",
         [](std::uint64_t seed) { return clusters_at_two_routers(seed, wan_rough_noise); }},
        {"systematic", "as lan, with an error of each pair as large as a link between switches", systematic},
        {"throttled", "as lan, with one noisy network card or three", throttled},
        {"levels-1000", "1,000 hosts on switches of 16 to 48 under two or three levels of switches",
         [](std::uint64_t seed) { return levels_of_switches(1000, seed); }},
        {"levels-10000", "10,000 hosts, the same",
         [](std::uint64_t seed) { return levels_of_switches(10'000, seed); }},
        {"levels-100000", "100,000 hosts, the same",
         [](std::uint64_t seed) { return levels_of_switches(100'000, seed); }},
    };
    if (!data.empty()) add_real_networks(all, data);
    all.push_back(
        {"source-64", "the source's cluster of 64 hosts", [](std::uint64_t) { return one_cluster(); }});
    all.push_back(
        {"source-256", "the source's 4 clusters of 64 hosts", [](std::uint64_t) { return four_clusters(); }});
    return all;
}

}  // namespace trellis::sim
