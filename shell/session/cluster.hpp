// Cluster: what the shell asks of the root of the control tree: who is there, reach more, run operations.
// main.cpp gives the real one; tests give one of their own. Outlives the session; never prints.
#pragma once

#include "trellis/operation.hpp"
#include "trellis/outcome.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include "agentd/core/login_attempt.hpp"
#include "agentd/core/membership.hpp"
#include "agentd/core/spawn_planner.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace trellis {

struct ExplorePlan {
    std::vector<std::string> hosts;
    RouteRule rule;
    Duration login_timeout{};
    std::size_t fan_out = SpawnLimits{}.fan_out;  // most hosts that are reached straight from one
    std::function<void(std::size_t reached, std::size_t ended, std::size_t all)> progress;
    std::function<void(const std::string& host, bool silent)> suspicion;
    // A login has begun (no outcome yet), or ended.
    std::function<void(const std::string& host, const LoginAttempt&)> attempt;
};

struct ExploreResult {
    std::string name;
    Outcome outcome;
};

class Cluster {
  public:
    virtual ~Cluster() = default;
    [[nodiscard]] virtual const Membership& membership() const = 0;
    // Called after a host has become suspect, has resumed or is lost. One handler.
    virtual void on_change(std::function<void(const Member&)> handler) = 0;
    // Starts agents on the hosts; one result for each, in the same order. Cancelling it keeps the hosts that
    // have been reached.
    virtual Task<std::vector<ExploreResult>> explore(ExplorePlan plan) = 0;
    [[nodiscard]] virtual Operations& operations() = 0;
};

}  // namespace trellis
