// Families of networks over which inference is evaluated: each makes of a seed one network within its
// description, another one for another seed (shape, which host hangs where, delays, order of hosts). Pure;
// what is read from files is read anew for each network.
#pragma once

#include "tests/sim/noisy_network.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trellis::sim {

struct InferFamily {
    std::string name;         // as an option names it
    std::string description;  // one line
    std::function<NoisyNetwork(std::uint64_t seed)> network;
};

// All of them. `data`: the folder with ibtopo/ and simgrid/; those that come from there are left out if it is
// empty. A file that is missing or malformed is an exception when a network is made.
[[nodiscard]] std::vector<InferFamily> infer_families(const std::string& data = "");

// 64 hosts on 4 switches, each of which carries some; 10 us of round trip for each further switch.
[[nodiscard]] NoisyNetwork lan_of_four_switches(std::uint64_t seed);
// 4 clusters like that, 2 to 6 ms apart, two at each of two routers that a link of 5 us joins.
[[nodiscard]] NoisyNetwork clusters_at_two_routers(std::uint64_t seed, const NoiseProfile& between);
// Switches of 16 to 48 hosts under a tree of two or three levels; at least 256 hosts.
[[nodiscard]] NoisyNetwork levels_of_switches(std::size_t hosts, std::uint64_t seed);

}  // namespace trellis::sim
