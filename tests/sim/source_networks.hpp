// The networks on which the published inference was tried (Shirai 2007, section 5.1), as far as its text
// tells: up to four clusters of 64 hosts on gigabit Ethernet, 2 to 6 ms apart. Truths for simulations;
// nothing here measures.
#pragma once

#include "tests/sim/noisy_network.hpp"

#include <cstddef>

namespace trellis::sim {

// One cluster of three levels of switches (its hosts are 2, 4 or 6 links apart), hosts a00 and up.
[[nodiscard]] NoisyNetwork one_cluster(std::size_t hosts = 64);

// Clusters a to d: a and d of three levels, b a cross of switches, c a row of five. Routers join a and b, and
// c and d; a link of 5 us joins the routers.
[[nodiscard]] NoisyNetwork four_clusters(std::size_t hosts_each = 64);

}  // namespace trellis::sim
