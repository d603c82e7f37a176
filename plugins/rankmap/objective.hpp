// Objective: what a placement makes of a program's traffic. A value; pure.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/rankmap/path_costs.hpp"
#include "plugins/rankmap/placement.hpp"
#include "plugins/rankmap/traffic.hpp"

namespace trellis::plugins::rankmap {

struct Objective {
    double cost = 0;              // the mean of a unit of traffic, in the unit of the costs
    double between_switches = 0;  // share of the traffic whose ends hang on different switches
    double between_hosts = 0;     // and of that whose ends are different hosts
};

// All 0 where there is no traffic.
[[nodiscard]] Objective objective(const Topology& topology, const Traffic& traffic, const PathCosts& costs,
                                  const Placement& placement);

}  // namespace trellis::plugins::rankmap
