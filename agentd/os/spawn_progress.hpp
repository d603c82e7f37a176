// SpawnProgress: what it would mean if the time ran out now. Owned by the spawn() that keeps the time; the
// ways of spawning write it as they go.
#pragma once

#include "trellis/result.hpp"
#include "trellis/time.hpp"

#include <string>

namespace trellis {

struct SpawnProgress {
    TimePoint deadline;  // by SteadyClock
    FailureKind kind = FailureKind::timed_out;
    std::string cause = "timed out in login";

    void connecting(const std::string& where) {
        kind = FailureKind::unreachable;
        cause = "no answer from " + where;
    }
    void logging_in() {
        kind = FailureKind::timed_out;
        cause = "timed out in login";
    }
    void starting() {
        kind = FailureKind::timed_out;
        cause = "timed out in starting the agent";
    }
};

}  // namespace trellis
