// RemoteCommand: one command of the hosts' shell, run on the selected hosts: its output by lines under the
// hosts' names, its outcome per host, and the end of it by Ctrl-C. Owned by the command that runs it (`e`,
// `cd`).
#pragma once

#include "trellis/operation.hpp"

#include "shell/labelled_lines.hpp"
#include "shell/shell_context.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace trellis {

struct RemoteCommandStyle {
    bool json = false;
    bool raw = false;  // control characters as they are, even on a terminal
};

class RemoteCommand {
  public:
    RemoteCommand(ShellContext& context, RemoteCommandStyle style);
    // Starts on the seat's selected hosts and returns when each has an outcome.
    Task<std::map<std::string, Outcome>> run(std::string command, std::string directory,
                                             std::optional<Duration> timeout);

  private:
    // What outlives run() while a timer still refers to it.
    struct Running {
        std::unique_ptr<Operation> operation;
    };

    Task<void> show(const OperationEvent& event);
    Task<void> show_stream(const std::string& host, const StreamData& data);
    Task<void> show_result(const std::string& host, const Outcome& outcome);
    void interrupt(int presses);
    static Task<void> escalate(std::weak_ptr<Running> running, Clock& clock);

    ShellContext& context_;
    RemoteCommandStyle style_;
    LabelledLines out_;
    LabelledLines err_;
    std::map<HostId, std::string> names_;
    std::map<std::string, Outcome> outcomes_;
    std::shared_ptr<Running> running_;
    Executor executor_;
};

}  // namespace trellis
