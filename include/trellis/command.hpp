// Command: the shell side of a plugin, or a built-in. One object for each invocation: its options are members
// that declare() binds, run() does the work. Commands print data to out() and messages by say(), never
// elsewhere.
#pragma once

#include "trellis/bus.hpp"
#include "trellis/clock.hpp"
#include "trellis/file_store.hpp"
#include "trellis/host.hpp"
#include "trellis/operation.hpp"
#include "trellis/option_set.hpp"
#include "trellis/task.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// What the session offers to a running command. Owned by the session, valid until run() returns.
class CommandContext {
  public:
    virtual ~CommandContext() = default;
    // The selected hosts whose agents run, in the session's order.
    [[nodiscard]] virtual std::vector<Host> selection() const = 0;
    [[nodiscard]] virtual Operations& operations() = 0;
    [[nodiscard]] virtual Bus& bus() = 0;
    [[nodiscard]] virtual Clock& clock() = 0;
    // Of the machine where the user sits.
    [[nodiscard]] virtual FileStore& files() = 0;
    // Where commands run on a host (`cd`); empty: in the home directory.
    [[nodiscard]] virtual std::string directory(const std::string& host) const = 0;
    // The next bytes of the command's standard input; empty at the end.
    virtual Task<Result<std::string>> read_input() = 0;
    // Data, to the command's standard output (terminal, file or pipe); waits while the reader is slow.
    virtual Task<void> print(std::string text) = 0;
    // One line for the user, to standard error.
    virtual void say(std::string line) = 0;
    // A line that the next one overwrites; shown on a terminal only.
    virtual void progress(std::string line) = 0;
    // A program of the machine where the user sits, by /bin/sh -c: its input is that of the command, what it
    // writes is printed as the command's own, and Ctrl-C at the terminal reaches it. Its exit status as sh
    // gives it; unavailable if it cannot be started.
    virtual Task<Result<int>> run_here(std::string program) = 0;
    // Whether print() goes to a terminal, and its width.
    [[nodiscard]] virtual bool terminal() const = 0;
    [[nodiscard]] virtual int width() const = 0;
    // Called at each Ctrl-C with how many there have been (1, 2, ...). Without a handler the first one ends
    // run() with operation_aborted.
    virtual void on_interrupt(std::function<void(int)> handler) = 0;
};

class Command {
  public:
    virtual ~Command() = default;
    // Options and arguments, bound to members, and the help text.
    virtual void declare(OptionSet& options) = 0;
    // The exit status: 0 only if everything succeeded on every host.
    virtual Task<int> run(CommandContext& context) = 0;
    // Whether it means something to redirect its standard input.
    [[nodiscard]] virtual bool reads_input() const { return false; }
};

// One row of the shell's table of commands.
struct CommandEntry {
    std::string_view name;
    std::string_view summary;  // one line for `help`
    std::unique_ptr<Command> (*make)();
};

}  // namespace trellis
