// FrontProgram: trellis as a front end: it runs the commands of a script, of its arguments or of a terminal
// in its home, and leaves. Owned by main.cpp.
#pragma once

#include "trellis/command.hpp"
#include "trellis/time.hpp"

#include "shell/hosts/host_news.hpp"
#include "shell/program_options.hpp"
#include "shell/running/home.hpp"
#include "shell/running/interpreter.hpp"
#include "shell/running/interrupts.hpp"
#include "shell/running/line_source.hpp"
#include "shell/session/session.hpp"
#include "shell/terminal/console.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace trellis {

class FrontProgram {
  public:
    FrontProgram(asio::io_context& io, Clock& clock, FileStore& files, std::int64_t (*unix_time)(),
                 Home& home, const Options& options, const Times& times, std::vector<CommandEntry> commands);
    // Until the front end has left its home; returns the exit status.
    int run();

  private:
    Task<int> front_end();
    Task<int> run_words();
    Task<int> run_lines(std::unique_ptr<LineSource> lines, std::string name);
    Task<int> run_script_file(const std::string& path);
    Task<int> run_terminal();
    Task<int> run_and_leave();
    Task<void> files_to_end();
    void end_on_signals();
    void end(int status);

    asio::io_context& io_;
    Executor executor_;
    Home& home_;
    const Options& options_;
    Session session_;
    Seat seat_{session_};
    HostNews news_;
    Console console_;
    Interrupts interrupts_{executor_};
    int no_input_;  // what local programs of -c read is the shell's own; of a script on standard input,
                    // nothing
    Interpreter interpreter_;
    asio::signal_set end_signals_;
    asio::cancellation_signal end_;
    std::optional<int> end_status_;  // set from outside: by a signal, or because the home is gone
};

}  // namespace trellis
