// ChangeTrial: what one host in 256 costs that joins a network whose tree is known, and then one that leaves,
// and whether the tree is then that of an inference from scratch. A plain value of fixed size.
#pragma once

#include "tests/sim/noisy_network.hpp"

#include <cstddef>
#include <cstdint>

namespace trellis {

struct ChangeTrial {
    std::uint64_t seed = 0;
    bool ended = false;          // every inference with a topology; nothing else counts otherwise
    bool placed = false;         // the host that joined, without measuring all anew
    std::size_t pairs = 0;       // measured because it joined
    double seconds = 0;          // virtual, of that; 0 by the planner alone
    bool joined_same = false;    // the tree as from scratch
    bool left_same = false;      // the same after one more has left
    bool scratch_right = false;  // the tree from scratch is the true one
    bool joined_right = false;   // the tree after the joining is
};

// The last host of the network joins, the first one leaves.
[[nodiscard]] ChangeTrial try_change_of_plan(const sim::NoisyNetwork& network, std::uint64_t seed);
// By the shell's own command over real agents, in virtual time.
[[nodiscard]] ChangeTrial try_change(const sim::NoisyNetwork& network, std::uint64_t seed);

}  // namespace trellis
