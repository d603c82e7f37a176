// ShellContext: what the shell's own commands may use beyond what every command is offered. Builtin: the base
// of those commands. Owned by the interpreter, valid until run() returns.
#pragma once

#include "trellis/command.hpp"

#include "shell/language/command_line.hpp"
#include "shell/running/jobs.hpp"
#include "shell/running/source.hpp"
#include "shell/session/session.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class ShellContext : public CommandContext {
  public:
    [[nodiscard]] virtual Session& session() = 0;
    [[nodiscard]] virtual Seat& seat() = 0;
    // The statement that is running, as it was written.
    [[nodiscard]] virtual const Statement& statement() const = 0;
    [[nodiscard]] virtual const std::vector<CommandEntry>& commands() const = 0;
    // Whether standard input is where the commands come from, so that they cannot read it.
    [[nodiscard]] virtual bool commands_on_standard_input() const = 0;
    // The command's standard input: a file if it is redirected, else the shell's own. Unavailable if the
    // script stands there.
    [[nodiscard]] virtual Result<std::unique_ptr<Source>> input() = 0;
    // The descriptor that local programs have as theirs; -1: the shell's own.
    [[nodiscard]] virtual int program_input() const = 0;
    // Data of the hosts' standard error, to ours; waits while the reader is slow.
    virtual Task<void> print_error(std::string text) = 0;
    [[nodiscard]] virtual bool error_terminal() const = 0;
    // Says why the command failed, with the place in the script, and returns the status.
    [[nodiscard]] virtual int fail(const std::string& cause, int status = 1) = 0;
    // The jobs of this front end, and the one of which this command is a part.
    [[nodiscard]] virtual Jobs& jobs() = 0;
    [[nodiscard]] virtual Job& job() = 0;
    // What another job left becomes what this command leaves.
    virtual void take_over(Job& other) = 0;
    // What this command printed on the hosts, for the seat when it has ended.
    [[nodiscard]] virtual std::map<std::string, LastOutput>& last_output() = 0;
    // How to send the command a signal. Without a handler it cannot be suspended, and what would end a
    // program ends run() with operation_aborted.
    virtual void on_signal(std::function<void(int)> handler) = 0;
    // Ends the front end after this statement, with this exit status or with the one that it would have.
    virtual void quit(std::optional<int> status) = 0;
};

class Builtin : public Command {
  public:
    // The interpreter, which alone runs commands, always gives a ShellContext.
    Task<int> run(CommandContext& context) final { return run_in_shell(static_cast<ShellContext&>(context)); }

  protected:
    virtual Task<int> run_in_shell(ShellContext& context) = 0;
};

template <class C>
[[nodiscard]] std::unique_ptr<Command> make_command() {
    return std::make_unique<C>();
}

// The one table of the shell's own commands. Those of plugins are added to it by main.cpp.
[[nodiscard]] std::vector<CommandEntry> builtin_commands();

}  // namespace trellis
