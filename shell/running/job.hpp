// Job: a list of statements joined by && and || (most often a single one) from the start of the first to the
// end of the last, in the foreground or in the background. Shared by the interpreter's coroutine that runs
// it, the table of jobs, and whoever waits for it. It runs and prints nothing itself.
#pragma once

#include "trellis/outcome.hpp"

#include "agentd/core/mailbox.hpp"
#include "shell/hosts/output_condition.hpp"
#include "shell/language/command_line.hpp"

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class Invocation;

struct LineResult {
    int status = 0;            // of the last statement that ran; 0 if there was none
    int failure = 0;           // of the last one that failed and was not asked about by && or ||; 0: none
    bool malformed = false;    // nothing ran: the line is not understood
    bool interrupted = false;  // by Ctrl-C or Ctrl-Z; the rest of the line did not run
    bool reader_left = false;  // nobody reads the shell's standard output any more
    bool quit = false;         // the front end is to end
    std::optional<int> quit_status;
};

// Hosts on which the statement that runs, or ran last, has started something.
struct HostCounts {
    std::size_t all = 0;
    std::size_t running = 0;
    std::size_t failed = 0;
};

class Job {
  public:
    enum class State { running, suspended, ended };

    Job(const Executor& executor, std::vector<Statement> statements, std::string origin);

    [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
    [[nodiscard]] const std::string& origin() const { return origin_; }  // before messages, see Interpreter
    [[nodiscard]] std::string text() const;                              // as it was written, on one line
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool ended() const { return state_ == State::ended; }
    [[nodiscard]] bool foreground() const { return foreground_; }
    [[nodiscard]] HostCounts hosts() const;

    // By which others know it; 0 until it is first in the background.
    int number = 0;
    LineResult result;
    // What its statements left while it was in the background, for whoever waits for it.
    std::map<std::string, Outcome> outcomes;
    std::optional<std::map<std::string, LastOutput>> last_output;

    // The keys. Ctrl-Z makes it leave the foreground: suspended, or running if it cannot be suspended.
    void press_interrupt();
    void press_suspend();
    // False while a local program has the terminal, which gets the keys itself.
    [[nodiscard]] bool heeds_interrupt() const { return invocation_ != nullptr; }
    [[nodiscard]] bool heeds_suspend() const;
    // The keys' Ctrl-Z is for this one instead, while it stands in the foreground for the other; null: no
    // more.
    void stand_in_for(std::shared_ptr<Job> other) { other_ = std::move(other); }
    // False if its command cannot be sent this signal.
    bool signal(int which);
    void go_on(bool in_foreground);
    // Ends its command here at once; on the hosts it is killed.
    void abandon();
    // It was sent a signal that ends programs: no further statement begins.
    [[nodiscard]] bool killed() const { return killed_; }
    // Returns when it has ended or left the foreground; throws what ended it if that was an error in the
    // shell.
    static Task<void> while_in_foreground(std::shared_ptr<Job> job);
    static Task<void> until_ended_or_suspended(std::shared_ptr<Job> job);

    // From the coroutine that runs it.
    void enter(Invocation* invocation) { invocation_ = invocation; }
    void leave(const HostCounts& counts);
    void end(std::exception_ptr error);
    // Notified at each change of its state; also by whoever waits for it no longer than a time.
    [[nodiscard]] Signal& changed() { return changed_; }

  private:
    std::vector<Statement> statements_;
    std::string origin_;
    State state_ = State::running;
    bool foreground_;
    bool killed_ = false;
    Invocation* invocation_ = nullptr;  // of the command that runs now
    HostCounts last_counts_;
    std::shared_ptr<Job> other_;
    std::exception_ptr error_;
    Signal changed_;
};

}  // namespace trellis
