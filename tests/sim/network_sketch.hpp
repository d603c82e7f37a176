// NetworkSketch: a noisy network drawn switch by switch and host by host, with chance from a seed. Owned by
// the function that draws it.
#pragma once

#include "tests/sim/noisy_network.hpp"

#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace trellis::sim {

class NetworkSketch {
  public:
    explicit NetworkSketch(std::uint64_t seed = 0) : random_(seed) {}

    // Each returns its number, from 0.
    std::size_t add_cluster(const NoiseProfile& inside);
    std::size_t add_switch(const std::string& name);

    void join(std::size_t switch_a, std::size_t switch_b, Delay delay);
    // A host of the latest cluster.
    void add_host(const std::string& name, std::size_t at_switch, Delay delay);

    // Chance: a number below `end`; one between the two; the delay, more or less by up to a tenth; `count`
    // parts of a sum, each `least` or more.
    [[nodiscard]] std::size_t below(std::size_t end);
    [[nodiscard]] double between(double least, double most);
    [[nodiscard]] Delay around(Delay delay) { return delay * between(0.9, 1.1); }
    [[nodiscard]] std::vector<std::size_t> parts(std::size_t sum, std::size_t count, std::size_t least);

    // Hosts in the order in which they were added, or in a random one.
    [[nodiscard]] NoisyNetwork build() const;
    [[nodiscard]] NoisyNetwork build_shuffled();

  private:
    struct Host {
        std::string name;
        std::size_t cluster;
        std::size_t at_switch;
        Delay delay;
    };
    [[nodiscard]] NoisyNetwork build(std::span<const Host> hosts) const;

    std::mt19937_64 random_;
    std::vector<NoiseProfile> profiles_;
    std::vector<std::string> switches_;
    std::vector<TopologyLink> trunks_;  // by numbers of switches
    std::vector<Host> hosts_;
};

}  // namespace trellis::sim
