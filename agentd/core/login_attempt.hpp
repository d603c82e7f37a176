// LoginAttempt: one try to log in to a host: from where, in which way, how it ended. A plain value, made by
// the Explorer for those who ask later how a host was reached, or why it was not.
#pragma once

#include "trellis/outcome.hpp"
#include "trellis/time.hpp"

#include "agentd/core/spawn_planner.hpp"

#include <map>
#include <optional>
#include <string>

namespace trellis {

struct LoginAttempt {
    std::string from;  // the host that logged in or relayed; "root" for the user's machine
    Route route;
    std::string target;                           // what ssh was given
    std::map<std::string, std::string> settings;  // ssh's, those that say where a login goes: user, port, ...
    Duration took{};
    std::optional<Outcome> outcome;  // nothing: it has not ended
};

}  // namespace trellis
