// Interpreter: runs lines of the command language for one front end. Owned by the front end; knows neither
// where lines come from nor what a prompt is.
#pragma once

#include "shell/console.hpp"
#include "shell/interrupts.hpp"
#include "shell/shell_context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

struct LineResult {
    int status = 0;            // of the last statement that ran; 0 if there was none
    int failure = 0;           // of the last one that failed and was not asked about by && or ||; 0: none
    bool malformed = false;    // nothing ran: the line is not understood
    bool interrupted = false;  // by Ctrl-C; the rest of the line did not run
    bool reader_left = false;  // nobody reads the shell's standard output any more
    bool quit = false;         // the front end is to end
    std::optional<int> quit_status;
};

class Interpreter {
  public:
    // `local_input`: the descriptor that local programs read as their standard input; -1: the shell's own.
    Interpreter(Session& session, Seat& seat, Console& console, Interrupts& interrupts,
                std::vector<CommandEntry> commands, int local_input = -1);

    // Called after each statement, so that the next one's outcomes do not hide what this one has told.
    void after_statements(std::function<void()> tell) { tell_ = std::move(tell); }
    // `origin` stands before messages ("batch.trl:3: "), empty at a terminal.
    Task<LineResult> run_line(std::string line, std::string origin);
    [[nodiscard]] const std::vector<CommandEntry>& commands() const { return commands_; }
    [[nodiscard]] Session& session() { return session_; }

  private:
    Task<int> run_statement(const Statement& statement, const std::string& origin, LineResult& result);
    Task<int> run_command(const CommandEntry& entry, const Statement& statement, const std::string& origin,
                          LineResult& result);
    Task<int> run_local(const Statement& statement, const std::string& origin);
    [[nodiscard]] const CommandEntry* find(const std::string& name) const;
    int unknown_command(const std::string& name, const std::string& origin);

    Session& session_;
    Seat& seat_;
    Console& console_;
    Interrupts& interrupts_;
    std::vector<CommandEntry> commands_;
    int local_input_;
    std::function<void()> tell_ = [] {};
};

}  // namespace trellis
