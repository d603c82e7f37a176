// Script: what a simulated host runs when it is told `/bin/sh -c COMMAND`. Commands, joined by ';':
//     hostname            the host's name            echo WORDS        to standard output
//     pwd                 the working directory      err WORDS         to standard error
//     cd DIRECTORY        absolute, but not /nowhere; also cd DIRECTORY > /dev/null && pwd
//     printenv NAME       from the environment       yes BYTES         that many bytes of "y\n" lines
//     sleep SECONDS       fractions allowed          exit STATUS
//     ignore INT TERM     shrugs off these signals   leave SECONDS     leaves a child that holds the outputs
//     copy FROM TO        one descriptor to another  take BYTES        that many of the input, to the output
//     lines N TO          N lines "HOST NUMBER"  answer FROM TO    each line of FROM as "HOST LINE"
// Anything else ends with status 127 and a message, as in sh. While it is stopped (SIGSTOP) it does nothing,
// and signals but KILL wait for SIGCONT. Shared by its Process and its coroutine.
#pragma once

#include "trellis/process.hpp"

#include "agentd/core/mailbox.hpp"
#include "tests/sim/virtual_time.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trellis::sim {

class Script final : public std::enable_shared_from_this<Script> {
  public:
    Script(VirtualTime& time, std::string host, ProcessSpec spec);
    void start();

    Task<std::string> read(int output);
    Task<Result<void>> feed(int input, std::string bytes);
    void close(int descriptor);
    Task<ExitStatus> wait();
    void signal(int number);
    // Whether it, or a child that it left, still runs.
    [[nodiscard]] bool running() const { return !ended_ || time_.now() < held_until_; }
    [[nodiscard]] bool stopped() const { return stopped_ && !ended_; }

  private:
    static constexpr std::size_t pipe_size = std::size_t{64} << 10;
    static Task<void> run(std::shared_ptr<Script> self);
    Task<void> execute(const std::vector<std::string>& words);
    Task<void> change_directory(const std::vector<std::string>& words);
    // A pipe between the script and who has started it.
    struct Pipe {
        std::string bytes;
        bool closed = false;  // by the other end
    };

    Task<void> write(int output, std::string text);
    // At most that many bytes of an input; none at its end.
    Task<std::string> get(int input, std::size_t most);
    Task<void> copy(int from, int to);
    Task<void> write_lines(int count, int to);
    Task<void> answer(int from, int to);
    Task<void> wait_until(TimePoint when);
    void end(ExitStatus status);
    void stop(bool stopped);

    VirtualTime& time_;
    std::string host_;
    ProcessSpec spec_;
    std::map<int, Pipe> pipes_;  // by descriptor
    std::set<int> ignored_;
    bool stopped_ = false;
    std::vector<int> waiting_signals_;  // while it is stopped
    TimePoint held_until_{};            // by a child
    ExitStatus status_;
    bool ended_ = false;
    Signal changed_;
};

// The seam's Process over a Script; destroying it kills the script.
class ScriptProcess final : public Process {
  public:
    explicit ScriptProcess(std::shared_ptr<Script> script) : script_(std::move(script)) {}
    ~ScriptProcess() override;
    Task<std::string> read(int output) override { return script_->read(output); }
    Task<Result<void>> write(int input, std::string bytes) override {
        return script_->feed(input, std::move(bytes));
    }
    void close(int descriptor) override { script_->close(descriptor); }
    void resize(TerminalSize) override {}
    Task<ExitStatus> wait() override { return script_->wait(); }
    void signal(int number) override { script_->signal(number); }

  private:
    std::shared_ptr<Script> script_;
};

}  // namespace trellis::sim
