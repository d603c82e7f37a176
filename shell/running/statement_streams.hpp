// StatementStreams: where the input of one statement comes from and its output goes, as its redirections and
// its pipe say, and the local program at the end of the pipe. Owned by the interpreter while the statement
// runs.
#pragma once

#include "trellis/result.hpp"

#include "shell/language/command_line.hpp"
#include "shell/running/local_program.hpp"
#include "shell/running/sink.hpp"
#include "shell/running/source.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace trellis {

class StatementStreams {
  public:
    using LinePrinter = std::function<Task<void>(std::string line)>;

    // Opens files and starts the local program. Nothing is opened if one of them fails. `program_input`: as
    // of the Interpreter. What a program in the background prints is given to `print` line by line if that is
    // not empty.
    [[nodiscard]] static Result<StatementStreams> open(const Executor& executor, const Statement& statement,
                                                       int program_input, LocalProgram::Place place,
                                                       LinePrinter print);

    // Null: the shell's own.
    [[nodiscard]] Sink* out() { return out_.get(); }
    [[nodiscard]] Sink* err() { return err_to_out_ ? out_.get() : err_.get(); }
    // Standard error goes where standard output goes, even if that is the shell's own.
    [[nodiscard]] bool err_to_out() const { return err_to_out_; }
    [[nodiscard]] bool piped() const { return program_.has_value(); }
    // To the local program, if it runs in the background.
    void signal(int number) const {
        if (program_) program_->signal(number);
    }
    // Standard input; unavailable if it is not redirected and the shell reads its script from its own. Asked
    // once.
    [[nodiscard]] Result<std::unique_ptr<Source>> input();
    [[nodiscard]] int program_input() const { return program_input_; }

    // Closes what was opened and waits for the local program. Its status, 0 without one; a Failure if output
    // was lost.
    Task<Result<int>> finish();

  private:
    StatementStreams(Executor executor, int program_input)
        : executor_(std::move(executor)), program_input_(program_input) {}
    Result<void> redirect(const Redirection& redirection);
    Result<void> start_program(const std::string& command, LocalProgram::Place place, LinePrinter print);

    struct Relay;
    std::shared_ptr<Relay> relay_;  // of what the program prints
    Executor executor_;
    int program_input_;
    std::unique_ptr<Source> in_;
    std::unique_ptr<Sink> out_;
    std::unique_ptr<Sink> err_;
    bool err_to_out_ = false;
    std::unique_ptr<Sink>
        pipe_;  // kept when standard output is redirected as well: the program reads nothing
    std::optional<LocalProgram> program_;
};

}  // namespace trellis
