// SpawnProgress: when the time of a spawn runs out, and what that would mean. Owned by the spawn() that keeps
// the time; the ways of spawning write it as they go. The time-out holds for the login as a whole, and then
// anew for each step of starting the agent, since sending it to many hosts at once may take long on any of
// them; all in all at most twenty times as long.
#pragma once

#include "trellis/result.hpp"
#include "trellis/time.hpp"

#include "agentd/os/steady_clock.hpp"

#include <algorithm>
#include <string>

namespace trellis {

struct SpawnProgress {
    explicit SpawnProgress(Duration allowed)
        : timeout(allowed), deadline(SteadyClock().now() + allowed), latest(deadline + 19 * allowed) {}

    Duration timeout;
    TimePoint deadline;  // by SteadyClock
    TimePoint latest;    // the deadline does not move beyond it
    FailureKind kind = FailureKind::timed_out;
    std::string cause = "timed out in login";
    std::string closed;             // why the connection was lost in the login attempt before this one
    bool agent_found = false;       // its file was on the host before
    bool found_one_failed = false;  // in an earlier attempt

    void connecting(const std::string& where) {
        kind = FailureKind::unreachable;
        cause = "no answer from " + where;
    }
    void logging_in() {
        kind = closed.empty() ? FailureKind::timed_out : FailureKind::unreachable;
        cause = closed.empty() ? "timed out in login" : "connection closed in login: " + closed;
    }
    void starting() {
        kind = FailureKind::timed_out;
        cause = "timed out in starting the agent";
        moved();
    }
    void moved() { deadline = std::min(SteadyClock().now() + timeout, latest); }
};

}  // namespace trellis
