// Flows: bytes from one host to another, and what came of them. Plain values.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis::plugins::bwtree {

// Hosts are nodes of the topology.
struct Flow {
    TopologyNode from = 0;
    TopologyNode to = 0;
    // Flows of one group load links together; those of different groups have no link in common.
    std::uint32_t group = 0;
    friend bool operator==(const Flow&, const Flow&) = default;
};

// All flows that run at the same time.
using Round = std::vector<Flow>;

// Of one flow: of the link, as in LinkBandwidth. Nothing came if the rate is 0. The variances of the flows of
// a group add up to that of their sum.
struct FlowRate {
    double bits_per_second = 0;
    double standard_error = 0;
};

}  // namespace trellis::plugins::bwtree
