#include "tests/sim/route_table.hpp"

#include <algorithm>

namespace trellis::sim {

Delay RouteTable::round_trip(TopologyNode a, TopologyNode b) const {
    Delay sum{0};
    for (const auto& way : {route(a, b), route(b, a)})
        for (const Cable cable : way)
            sum += delays_[cable];
    return sum;
}

bool RouteTable::share_cable(TopologyNode a, TopologyNode b, TopologyNode c, TopologyNode d) const {
    for (const auto& one : {route(a, b), route(b, a)})
        for (const auto& other : {route(c, d), route(d, c)})
            if (std::ranges::find_first_of(one, other) != one.end()) return true;
    return false;
}

}  // namespace trellis::sim
