// Forecast: what carrying out a plan will take, in rounds, bytes and time. Pure.
#pragma once

#include "agentd/model/topology_bandwidth.hpp"
#include "plugins/bwtree/measuring_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace trellis::plugins::bwtree {

struct Forecast {
    std::size_t rounds = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
};

// Carries the plan out in a network of known bandwidths; 1 Gbit/s where none is known, or `known` is null.
// Every flow is supposed to run as long as one that is not steady before.
[[nodiscard]] Forecast foretold(const Topology& topology, const TopologyBandwidth* known,
                                MeasuringPlan& plan);

}  // namespace trellis::plugins::bwtree
