// Grid'5000 as a noisy network, from SimGrid's description of it (g5k.xml): clusters, sites and the tree of
// cities, with the latencies of the file, more or less, and some hosts of each cluster.
#pragma once

#include "tests/sim/noisy_network.hpp"

#include <cstdint>
#include <string>

namespace trellis::sim {

// Throws std::runtime_error if the file cannot be read.
[[nodiscard]] NoisyNetwork grid5000_network(const std::string& path, std::uint64_t seed);

}  // namespace trellis::sim
