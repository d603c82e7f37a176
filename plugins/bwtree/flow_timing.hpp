// FlowTiming: how one flow is measured, by the round-trip time between its hosts. A value.
#pragma once

#include "trellis/time.hpp"
#include "trellis/topology.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trellis::plugins::bwtree {

struct FlowTiming {
    std::uint8_t streams = 1;  // more than one where one alone may not fill a long way
    Duration slot{0};
    Duration warm_up{0};
    Duration most{0};
};

// `companions`: flows of its group. Those of several are read over the same time, since while one of them is
// steady another one may be held up: they do not end sooner.
[[nodiscard]] inline FlowTiming timing_for(Delay round_trip, std::size_t companions) {
    using std::chrono::milliseconds;
    const auto rtt = std::chrono::duration_cast<Duration>(round_trip);
    FlowTiming timing;
    const std::size_t streams = rtt < milliseconds(2) ? 1 : rtt < milliseconds(10) ? 2 : 4;
    timing.streams = static_cast<std::uint8_t>((streams + companions - 1) / companions);
    timing.slot = std::clamp<Duration>(rtt, milliseconds(10), milliseconds(100));
    timing.warm_up = std::max<Duration>(milliseconds(50), 10 * rtt);
    timing.most = std::max<Duration>(milliseconds(500), timing.warm_up + 25 * timing.slot);
    if (companions > 1) timing.warm_up = timing.most = timing.warm_up + 20 * timing.slot;
    return timing;
}

}  // namespace trellis::plugins::bwtree
