// Home: the session that a front end works in: one of its own, which ends with it, or one that stays up.
// Owned by whoever starts the front end; outlives it.
#pragma once

#include "trellis/task.hpp"

#include "shell/running/interpreter.hpp"
#include "shell/session/cluster.hpp"
#include "shell/session/session.hpp"
#include "shell/terminal/console.hpp"

#include <functional>
#include <string>

namespace trellis {

// What a front end has of its own.
struct FrontEndParts {
    Session& session;
    Seat& seat;
    Interpreter& interpreter;
    Console& console;
    std::function<void()> end;  // the home is gone: what runs is to stop, with status 1
};

class Home {
  public:
    virtual ~Home() = default;
    [[nodiscard]] virtual Cluster& cluster() = 0;
    // Once, before all else. False if the front end is not let in, which has been said.
    virtual Task<bool> enter(FrontEndParts parts) = 0;
    // Takes some seconds at most.
    virtual Task<void> leave() = 0;
    // What to say to a user who leaves and may believe that the session ends; empty: it does.
    [[nodiscard]] virtual std::string farewell() const = 0;
};

}  // namespace trellis
