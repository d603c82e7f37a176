// Schedules of collectives: who sends to whom, in which order. Node 0 is the root, nodes 1 to n are the
// hosts. Pure functions. What is said of a message from the root holds, turned round, for answers to it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::estimate {

struct Send {
    std::size_t from = 0, to = 0;
    friend bool operator==(const Send&, const Send&) = default;
};

// A sender has been reached by an earlier one; each node sends in the order of its sends.
using Schedule = std::vector<Send>;

// The root to each host (Kaishima et al. 2005, section 3.1).
[[nodiscard]] Schedule one_stage(std::size_t hosts);
// In round k all that have the message send it 2^k places on.
[[nodiscard]] Schedule binomial(std::size_t hosts);
// Each to the next.
[[nodiscard]] Schedule chain(std::size_t hosts);
// The root to the first host of each cluster, and to all of its own, the first one; they to the rest.
[[nodiscard]] Schedule clustered(std::span<const std::vector<std::size_t>> clusters);

}  // namespace trellis::plugins::estimate
