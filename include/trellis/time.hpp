// Durations and the one clock that a process reads. Two hosts' clocks are never compared: between hosts only
// durations travel.
#pragma once

#include <chrono>

namespace trellis {

using Duration = std::chrono::nanoseconds;

// Tag of the process's own monotonic clock (real in agentd/os, virtual in the simulated world).
struct ProcessClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<ProcessClock>;
    static constexpr bool is_steady = true;
};
using TimePoint = ProcessClock::time_point;

}  // namespace trellis
