// OsProcesses: the real Processes: commands as child processes on pipes, with /dev/null as input unless they
// are to be fed, or on a pseudo-terminal. Owned by main.cpp, outlives every Process that it has started.
#pragma once

#include "agentd/os/children.hpp"

namespace trellis {

class OsProcesses : public Processes {
  public:
    explicit OsProcesses(const Executor& executor) : executor_(executor), children_(executor) {}
    Result<std::unique_ptr<Process>> start(const ProcessSpec& spec) override;

  private:
    Result<std::unique_ptr<Process>> start_on_pipes(const ProcessSpec& spec);
    Result<std::unique_ptr<Process>> start_on_terminal(const ProcessSpec& spec);

    Executor executor_;
    Children children_;
};

}  // namespace trellis
