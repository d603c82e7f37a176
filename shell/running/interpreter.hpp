// Interpreter: runs lines of the command language for one front end. Owned by the front end; knows neither
// where lines come from nor what a prompt is.
#pragma once

#include "shell/running/interrupts.hpp"
#include "shell/running/jobs.hpp"
#include "shell/running/shell_context.hpp"
#include "shell/running/statement_streams.hpp"
#include "shell/terminal/console.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

class Interpreter {
  public:
    // `local_input`: the descriptor that local programs read as their standard input; -1: the shell's own.
    Interpreter(Session& session, Seat& seat, Console& console, Interrupts& interrupts,
                std::vector<CommandEntry> commands, int local_input = -1);

    // Called after each statement in the foreground, so that the next one's outcomes do not hide what this
    // one has told.
    void after_statements(std::function<void()> tell) { tell_ = std::move(tell); }
    // Called when a job has ended in the background.
    void after_jobs(std::function<void()> tell) { tell_of_job_ = std::move(tell); }
    // Called after each statement, to keep what it has changed where others find it.
    void keep_with(std::function<void()> keep) { keep_ = std::move(keep); }
    // `origin` stands before messages ("batch.trl:3: "), empty at a terminal.
    Task<LineResult> run_line(std::string line, std::string origin);
    // What runs in the background outlives the line; it must be ended, by end_all(), before this object.
    [[nodiscard]] Jobs& jobs() { return jobs_; }
    [[nodiscard]] const std::vector<CommandEntry>& commands() const { return commands_; }
    [[nodiscard]] Session& session() { return session_; }

  private:
    Task<void> run_list(std::shared_ptr<Job> job);
    Task<int> run_statement(Job& job, const Statement& statement);
    Task<int> run_command(const CommandEntry& entry, Job& job, const Statement& statement);
    Task<int> run_local(const Job& job, const Statement& statement);
    [[nodiscard]] StatementStreams::LinePrinter line_printer(const Job& job);
    [[nodiscard]] const CommandEntry* find(const std::string& name) const;
    int unknown_command(const std::string& name, const std::string& origin);

    Session& session_;
    Seat& seat_;
    Console& console_;
    Jobs jobs_;
    std::vector<CommandEntry> commands_;
    int local_input_;
    std::function<void()> tell_ = [] {};
    std::function<void()> tell_of_job_ = [] {};
    std::function<void()> keep_ = [] {};
};

}  // namespace trellis
