// A topology as a simulated network: the way from a truth to a world in which it can be measured. Pure.
#pragma once

#include "trellis/time.hpp"
#include "trellis/topology.hpp"

#include "tests/lab/topology_file.hpp"

namespace trellis::sim {

// What a probe costs on its way beyond the delays of the links. With these figures taken off the links, a
// round trip that nobody disturbs takes exactly what the topology says.
struct ProbeCost {
    double rate = 0;  // of every link, in bits per second; 0: unlimited
    Duration cpu{0};  // of one message at one end
};

// The hosts of the topology in its order, then `ctl` at its centre. The topology has a switch and is at most
// 16 links deep; links that are shorter than what a probe costs on them are a bug of the test.
[[nodiscard]] lab::TopologyFile lab_of(const Topology& topology, ProbeCost cost = {});

}  // namespace trellis::sim
