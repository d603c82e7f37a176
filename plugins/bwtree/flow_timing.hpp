// FlowTiming: how the flows of a group are measured, all in slots of the same length, which are added. A
// value.
#pragma once

#include "trellis/time.hpp"
#include "trellis/topology.hpp"

#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trellis::plugins::bwtree {

struct FlowTiming {
    std::uint8_t streams = 1;  // more than one where one alone may not fill a long way
    MeterSettings meter;
};

// By the longest of their round-trip times, and how many of them one host sends or takes at most: each host
// is to fill its card, however many others fill theirs, since less is not told from a link that is full.
[[nodiscard]] inline FlowTiming timing_for(Delay round_trip, std::size_t flows) {
    using std::chrono::milliseconds;
    const auto rtt = std::chrono::duration_cast<Duration>(round_trip);
    const std::size_t streams = rtt < milliseconds(2)    ? 1
                                : rtt < milliseconds(10) ? 2
                                : rtt < milliseconds(50) ? 4
                                                         : 16;
    FlowTiming timing;
    timing.streams = static_cast<std::uint8_t>((streams + flows - 1) / flows);
    timing.meter.slot = std::clamp<Duration>(2 * rtt, milliseconds(10), milliseconds(200));
    timing.meter.warm_up = std::max<Duration>(milliseconds(50), 10 * rtt);
    return timing;
}

}  // namespace trellis::plugins::bwtree
