// RemoteCommand: one command of the hosts' shell, run on some hosts: its output to a view, its
// outcome per host, signals to it, and the end of it by Ctrl-C. Owned by the command that runs it (`e`,
// `cd`).
#pragma once

#include "trellis/operation.hpp"

#include "agentd/core/exec_messages.hpp"
#include "shell/commands/remote_pipes.hpp"
#include "shell/output/output_view.hpp"
#include "shell/running/shell_context.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class RemoteCommand {
  public:
    // `pipes`: what is joined to the processes, null if nothing is.
    RemoteCommand(ShellContext& context, std::vector<Host> hosts, OutputView& view,
                  RemotePipes* pipes = nullptr);
    // Starts on these hosts, each in its place, and returns when each has an outcome.
    Task<std::map<std::string, Outcome>> run(std::string command, const Places& places,
                                             std::optional<Duration> timeout);
    // The same in the seat's places, on a pseudo-terminal of this size.
    Task<std::map<std::string, Outcome>> run_on_terminal(std::string command, std::optional<Duration> timeout,
                                                         TerminalSize size);
    // Tells the terminal's new size, if the command runs.
    void resize(TerminalSize size);

  private:
    // What outlives run() while a timer still refers to it.
    struct Running {
        std::unique_ptr<Operation> operation;
    };

    [[nodiscard]] ExecRequest request_for(std::string command, const Places& places) const;
    Task<std::map<std::string, Outcome>> run(ExecRequest exec, std::optional<Duration> timeout);
    Task<void> show_all();
    Task<void> show(const OperationEvent& event);
    Task<void> show_data(const std::string& host, const StreamData& data);
    Task<void> show_kept(const std::string& host, const std::string& body);
    void keep(const std::string& host, const StreamData& data);
    void interrupt(int presses);
    void signal(int number);
    // By this signal; by harder ones if it does not heed it.
    void end(CancelLevel level);
    static Task<void> escalate(std::weak_ptr<Running> running, Clock& clock, CancelLevel level);

    ShellContext& context_;
    std::vector<Host> hosts_;
    OutputView& view_;
    RemotePipes* pipes_;
    std::map<HostId, std::string> names_;
    std::map<std::string, Outcome> outcomes_;
    std::shared_ptr<Running> running_;
    Executor executor_;
};

}  // namespace trellis
