// A real InfiniBand cluster as a noisy network: its switches, cables and routes, with delays by seed. The
// files NAME_links.csv and NAME_routes.csv of a folder hold columns (a, b, host or trunk, ...) and (from, to,
// "switch:port ..."). Its truth: where cables between switches form no tree, one switch that is a mesh stands
// for them, with the switches that carry hosts around it.
#pragma once

#include "tests/sim/noisy_network.hpp"

#include <cstdint>
#include <string>

namespace trellis::sim {

// Hosts to which no route is known are left out. Throws std::runtime_error if a file is missing or malformed.
[[nodiscard]] NoisyNetwork infiniband_network(const std::string& folder, const std::string& name,
                                              std::uint64_t seed);

}  // namespace trellis::sim
