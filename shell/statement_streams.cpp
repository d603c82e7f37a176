#include "shell/statement_streams.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace trellis {

Result<StatementStreams> StatementStreams::open(const Executor& executor, const Statement& statement) {
    StatementStreams streams;
    for (const Redirection& redirection : statement.redirections) {
        Result<void> opened = streams.redirect(executor, redirection);
        if (!opened) return opened.error();
    }
    if (!statement.pipe.empty()) {
        Result<void> started = streams.start_program(executor, statement.pipe);
        if (!started) return started.error();
    }
    return streams;
}

Result<void> StatementStreams::redirect(const Executor& executor, const Redirection& redirection) {
    using Kind = Redirection::Kind;
    if (redirection.kind == Kind::err_to_out) {
        err_to_out_ = true;
        return {};
    }
    const bool append = redirection.kind == Kind::append_out || redirection.kind == Kind::append_err;
    Result<std::unique_ptr<Sink>> sink = open_file_output(executor, redirection.file, append);
    if (!sink) return sink.error();
    const bool out = redirection.kind == Kind::out || redirection.kind == Kind::append_out;
    (out ? out_ : err_) = std::move(*sink);
    if (!out) err_to_out_ = false;
    return {};
}

Result<void> StatementStreams::start_program(const Executor& executor, const std::string& command) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Failure{FailureKind::unavailable, "", "",
                       std::string("cannot make a pipe: ") + std::strerror(errno)};
    Result<LocalProgram> program = LocalProgram::start(executor, command, ends[0]);
    ::close(ends[0]);
    std::unique_ptr<Sink> sink = open_pipe_output(executor, ends[1]);
    if (!program) return program.error();
    program_.emplace(std::move(*program));
    (out_ ? pipe_ : out_) = std::move(sink);
    return {};
}

Task<Result<int>> StatementStreams::finish() {
    pipe_.reset();
    Result<void> closed{};
    for (Sink* sink : {out_.get(), err_.get()}) {
        if (!sink) continue;
        const Result<void> one = sink->close();
        if (!one) closed = one;
    }
    int status = 0;
    if (program_) status = co_await program_->wait();
    if (!closed) co_return closed.error();
    co_return status;
}

}  // namespace trellis
