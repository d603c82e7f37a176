// StatementStreams: where the output of one statement goes, as its redirections and its pipe say, and the
// local program at the end of the pipe. Owned by the interpreter while the statement runs.
#pragma once

#include "trellis/result.hpp"

#include "shell/command_line.hpp"
#include "shell/local_program.hpp"
#include "shell/sink.hpp"

#include <memory>
#include <optional>

namespace trellis {

class StatementStreams {
  public:
    // Opens files and starts the local program. Nothing is opened if one of them fails.
    [[nodiscard]] static Result<StatementStreams> open(const Executor& executor, const Statement& statement);

    // Null: the shell's own.
    [[nodiscard]] Sink* out() { return out_.get(); }
    [[nodiscard]] Sink* err() { return err_to_out_ ? out_.get() : err_.get(); }
    // Standard error goes where standard output goes, even if that is the shell's own.
    [[nodiscard]] bool err_to_out() const { return err_to_out_; }
    [[nodiscard]] bool piped() const { return program_.has_value(); }

    // Closes what was opened and waits for the local program. Its status, 0 without one; a Failure if output
    // was lost.
    Task<Result<int>> finish();

  private:
    Result<void> redirect(const Executor& executor, const Redirection& redirection);
    Result<void> start_program(const Executor& executor, const std::string& command);

    std::unique_ptr<Sink> out_;
    std::unique_ptr<Sink> err_;
    bool err_to_out_ = false;
    std::unique_ptr<Sink>
        pipe_;  // kept when standard output is redirected as well: the program reads nothing
    std::optional<LocalProgram> program_;
};

}  // namespace trellis
