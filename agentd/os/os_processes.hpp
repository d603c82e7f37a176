// OsProcesses: the real Processes: commands as child processes with their outputs on pipes and /dev/null as
// input. Owned by main.cpp, outlives every Process that it has started.
#pragma once

#include "agentd/os/children.hpp"

namespace trellis {

class OsProcesses : public Processes {
  public:
    explicit OsProcesses(const Executor& executor) : executor_(executor), children_(executor) {}
    Result<std::unique_ptr<Process>> start(const ProcessSpec& spec) override;

  private:
    Executor executor_;
    Children children_;
};

}  // namespace trellis
