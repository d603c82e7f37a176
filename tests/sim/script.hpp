// Script: what a simulated host runs when it is told `/bin/sh -c COMMAND`. Commands, joined by ';':
//     hostname            the host's name            echo WORDS        to standard output
//     pwd                 the working directory      err WORDS         to standard error
//     printenv NAME       from the environment       yes BYTES         that many bytes of "y\n" lines
//     sleep SECONDS       fractions allowed          exit STATUS
//     ignore INT TERM     shrugs off these signals   leave SECONDS     leaves a child that holds the outputs
// Anything else ends with status 127 and a message, as in sh. Shared by its Process and its coroutine.
#pragma once

#include "trellis/process.hpp"

#include "agentd/core/mailbox.hpp"
#include "tests/sim/virtual_time.hpp"

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trellis::sim {

class Script final : public std::enable_shared_from_this<Script> {
  public:
    Script(VirtualTime& time, std::string host, ProcessSpec spec);
    void start();

    Task<std::string> read(Process::Output output);
    Task<ExitStatus> wait();
    void signal(int number);
    // Whether it, or a child that it left, still runs.
    [[nodiscard]] bool running() const { return !ended_ || time_.now() < held_until_; }

  private:
    static constexpr std::size_t pipe_size = std::size_t{64} << 10;
    static Task<void> run(std::shared_ptr<Script> self);
    Task<void> execute(const std::vector<std::string>& words);
    Task<void> write(Process::Output output, std::string text);
    Task<void> wait_until(TimePoint when);
    void end(ExitStatus status);
    std::string& pipe(Process::Output output) { return pipes_[output == Process::Output::out ? 0 : 1]; }

    VirtualTime& time_;
    std::string host_;
    ProcessSpec spec_;
    std::array<std::string, 2> pipes_;
    std::set<int> ignored_;
    TimePoint held_until_{};  // by a child
    ExitStatus status_;
    bool ended_ = false;
    Signal changed_;
};

// The seam's Process over a Script; destroying it kills the script.
class ScriptProcess final : public Process {
  public:
    explicit ScriptProcess(std::shared_ptr<Script> script) : script_(std::move(script)) {}
    ~ScriptProcess() override;
    Task<std::string> read(Output output) override { return script_->read(output); }
    Task<ExitStatus> wait() override { return script_->wait(); }
    void signal(int number) override { script_->signal(number); }

  private:
    std::shared_ptr<Script> script_;
};

}  // namespace trellis::sim
