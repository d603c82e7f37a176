// Invocation: one run of one command: its context, its output, and what Ctrl-C and signals do to it. Made and
// owned by the interpreter for one statement of a job.
#pragma once

#include "shell/running/shell_context.hpp"
#include "shell/running/statement_streams.hpp"
#include "shell/session/recorded_operations.hpp"
#include "shell/terminal/console.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>

namespace trellis {

// Exit statuses that sh has for the same.
inline constexpr int status_usage = 2;
inline constexpr int status_not_found = 127;
inline constexpr int status_interrupted = 130;
inline constexpr int status_suspended = 148;

// What an invocation is given; all of it outlives it.
struct InvocationParts {
    Session& session;
    Seat& seat;
    Console& console;
    Jobs& jobs;
    Job& job;
    const std::vector<CommandEntry>& commands;
    const Statement& statement;
    StatementStreams& streams;
    std::string label;  // before messages of failure: "batch.trl:3: load"
    bool commands_on_standard_input = false;
};

class Invocation final : public ShellContext {
  public:
    explicit Invocation(InvocationParts parts);
    ~Invocation() override;
    Invocation(const Invocation&) = delete;
    Invocation& operator=(const Invocation&) = delete;

    // The command's status; never throws. Keeps the outcomes that it left in the seat, or in its job while
    // that is in the background.
    Task<int> run_command(Command& command);
    // Whether the front end is to end, and with which status if it says so.
    [[nodiscard]] bool quits() const { return quits_; }
    [[nodiscard]] std::optional<int> quit_status() const { return quit_status_; }
    [[nodiscard]] bool interrupted() const { return presses_ > 0; }
    // The reader of standard output has gone.
    [[nodiscard]] bool reader_left() const { return reader_left_; }

    // Ctrl-C.
    void press();
    // To the command and to the local program that reads it; false if the command cannot be sent that one.
    bool signal(int number);
    // Ends the command here at once.
    void abandon();
    // A local program has the terminal together with the shell.
    [[nodiscard]] bool shares_terminal() const { return parts_.streams.piped() && began_in_foreground_; }
    [[nodiscard]] HostCounts hosts() const { return operations_.hosts(); }

    [[nodiscard]] std::vector<Host> selection() const override { return parts_.seat.selection(); }
    [[nodiscard]] Operations& operations() override { return operations_; }
    [[nodiscard]] Bus& bus() override { return parts_.session.bus(); }
    [[nodiscard]] Clock& clock() override { return parts_.session.clock(); }
    [[nodiscard]] FileStore& files() override { return parts_.session.files(); }
    [[nodiscard]] std::string directory(const std::string& host) const override {
        return parts_.seat.places.of(host).directory;
    }
    Task<Result<std::string>> read_input() override;
    Task<void> print(std::string text) override;
    void say(std::string line) override;
    void progress(std::string line) override;
    Task<Result<int>> run_here(std::string program) override;
    [[nodiscard]] bool terminal() const override { return out().terminal(); }
    [[nodiscard]] int width() const override { return out().width(); }
    void on_interrupt(std::function<void(int)> handler) override { handler_ = std::move(handler); }
    [[nodiscard]] Session& session() override { return parts_.session; }
    [[nodiscard]] Seat& seat() override { return parts_.seat; }
    [[nodiscard]] const Statement& statement() const override { return parts_.statement; }
    [[nodiscard]] const std::vector<CommandEntry>& commands() const override { return parts_.commands; }
    [[nodiscard]] bool commands_on_standard_input() const override {
        return parts_.commands_on_standard_input;
    }
    [[nodiscard]] Result<std::unique_ptr<Source>> input() override { return parts_.streams.input(); }
    [[nodiscard]] int program_input() const override { return parts_.streams.program_input(); }
    Task<void> print_error(std::string text) override;
    [[nodiscard]] bool error_terminal() const override { return err().terminal(); }
    [[nodiscard]] int fail(const std::string& cause, int status) override;
    [[nodiscard]] Jobs& jobs() override { return parts_.jobs; }
    [[nodiscard]] Job& job() override { return parts_.job; }
    void take_over(Job& other) override;
    [[nodiscard]] std::map<std::string, LastOutput>& last_output() override;
    void on_signal(std::function<void(int)> handler) override { signal_handler_ = std::move(handler); }
    void quit(std::optional<int> status) override;

  private:
    [[nodiscard]] Sink& out() const;
    [[nodiscard]] Sink& err() const;
    Task<int> run_cancellable(Command& command);
    void leave_outcomes();
    Task<void> put(Sink& sink, std::string text);
    // All that a local program writes there.
    Task<void> relay(Source& source, int descriptor);
    // What say() left for a redirected standard error.
    Task<void> flush_said();

    InvocationParts parts_;
    RecordedOperations operations_;
    asio::cancellation_signal cancel_;
    std::function<void(int)> handler_;
    std::function<void(int)> signal_handler_;
    std::optional<std::map<std::string, LastOutput>> last_output_;
    bool began_in_foreground_;
    int presses_ = 0;
    int ended_by_ = 0;  // a signal
    bool reader_left_ = false;
    bool output_failed_ = false;
    std::string said_;
    std::unique_ptr<Source> source_;  // once read_input() is called
    bool quits_ = false;
    std::optional<int> quit_status_;
};

}  // namespace trellis
