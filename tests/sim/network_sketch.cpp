#include "tests/sim/network_sketch.hpp"

#include <algorithm>

namespace trellis::sim {

std::size_t NetworkSketch::add_cluster(const NoiseProfile& inside) {
    profiles_.push_back(inside);
    return profiles_.size() - 1;
}

std::size_t NetworkSketch::add_switch(const std::string& name) {
    switches_.push_back(name);
    return switches_.size() - 1;
}

void NetworkSketch::join(std::size_t switch_a, std::size_t switch_b, Delay delay) {
    trunks_.push_back({static_cast<TopologyNode>(switch_a), static_cast<TopologyNode>(switch_b), delay});
}

void NetworkSketch::add_host(const std::string& name, std::size_t at_switch, Delay delay) {
    hosts_.push_back({name, profiles_.size() - 1, at_switch, delay});
}

std::size_t NetworkSketch::below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
}

double NetworkSketch::between(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
}

// The rest is cut at random places.
std::vector<std::size_t> NetworkSketch::parts(std::size_t sum, std::size_t count, std::size_t least) {
    const std::size_t rest = sum - count * least;
    std::vector<std::size_t> cuts{0, rest};
    for (std::size_t i = 1; i < count; ++i)
        cuts.push_back(below(rest + 1));
    std::ranges::sort(cuts);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < count; ++i)
        found.push_back(least + cuts[i + 1] - cuts[i]);
    return found;
}

NoisyNetwork NetworkSketch::build() const {
    return build(hosts_);
}

NoisyNetwork NetworkSketch::build_shuffled() {
    std::vector<Host> hosts = hosts_;
    std::ranges::shuffle(hosts, random_);
    return build(hosts);
}

NoisyNetwork NetworkSketch::build(std::span<const Host> hosts) const {
    NoisyNetwork network;
    network.profile = profiles_;
    Topology& truth = network.truth;
    truth.switches = switches_;
    const auto node = [&](std::size_t i) { return static_cast<TopologyNode>(hosts.size() + i); };
    for (const Host& host : hosts) {
        truth.links.push_back(
            {static_cast<TopologyNode>(truth.hosts.size()), node(host.at_switch), host.delay});
        truth.hosts.push_back(host.name);
        network.cluster.push_back(host.cluster);
    }
    for (const TopologyLink& trunk : trunks_)
        truth.links.push_back({node(trunk.a), node(trunk.b), trunk.delay});
    return network;
}

}  // namespace trellis::sim
