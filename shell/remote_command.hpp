// RemoteCommand: one command of the hosts' shell, run on the selected hosts: its output to a view, its
// outcome per host, and the end of it by Ctrl-C. Owned by the command that runs it (`e`, `cd`).
#pragma once

#include "trellis/operation.hpp"

#include "shell/output_view.hpp"
#include "shell/shell_context.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace trellis {

class RemoteCommand {
  public:
    RemoteCommand(ShellContext& context, OutputView& view);
    // Starts on the seat's selected hosts and returns when each has an outcome.
    Task<std::map<std::string, Outcome>> run(std::string command, std::string directory,
                                             std::optional<Duration> timeout);

  private:
    // What outlives run() while a timer still refers to it.
    struct Running {
        std::unique_ptr<Operation> operation;
    };

    Task<void> show(const OperationEvent& event);
    void keep(const std::string& host, const StreamData& data);
    void interrupt(int presses);
    static Task<void> escalate(std::weak_ptr<Running> running, Clock& clock);

    ShellContext& context_;
    OutputView& view_;
    std::map<HostId, std::string> names_;
    std::map<std::string, Outcome> outcomes_;
    std::shared_ptr<Running> running_;
    Executor executor_;
};

}  // namespace trellis
