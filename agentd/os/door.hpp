// The door of an agent: a Unix socket without a file, at which a process of the same user on the same host
// brings the link to a new parent. Strangers are turned away by the kernel's word on who they are.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/result.hpp"

#include <functional>
#include <memory>
#include <string>

namespace trellis {

// Accepts until it is destroyed. Owned by the agent's main.cpp.
class Door {
  public:
    // Without effect if the name is taken.
    Door(const Executor& executor, const std::string& name,
         std::function<void(std::unique_ptr<ByteStream>)> on_visitor);
    ~Door();
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;

  private:
    struct State;
    static Task<void> accept(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

// A connection to the door of that name on this host. Failure cannot_start: nobody is behind it.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> knock(const Executor& executor, const std::string& name);

}  // namespace trellis
