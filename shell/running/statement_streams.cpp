#include "shell/running/statement_streams.hpp"

#include "agentd/core/mailbox.hpp"
#include "shell/running/line_source.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

Failure no_pipe(int error) {
    return unavailable(std::string("cannot make a pipe: ") + std::strerror(error));
}

}  // namespace

struct StatementStreams::Relay {
    Relay(const Executor& executor, int fd, LinePrinter printer)
        : lines(descriptor_lines(executor, fd)), print(std::move(printer)), changed(executor) {}

    static Task<void> run(std::shared_ptr<Relay> relay) {
        for (;;) {
            std::optional<std::string> line = co_await relay->lines->next();
            if (!line) break;
            *line += '\n';
            co_await relay->print(std::move(*line));
        }
        relay->ended = true;
        relay->changed.notify();
    }

    std::unique_ptr<LineSource> lines;
    LinePrinter print;
    bool ended = false;
    Signal changed;
};

Result<StatementStreams> StatementStreams::open(const Executor& executor, const Statement& statement,
                                                int program_input, LocalProgram::Place place,
                                                LinePrinter print) {
    StatementStreams streams(executor, program_input);
    for (const Redirection& redirection : statement.redirections) {
        Result<void> opened = streams.redirect(redirection);
        if (!opened) return opened.error();
    }
    if (!statement.pipe.empty()) {
        Result<void> started = streams.start_program(statement.pipe, place, std::move(print));
        if (!started) return started.error();
    }
    return streams;
}

Result<void> StatementStreams::redirect(const Redirection& redirection) {
    using Kind = Redirection::Kind;
    if (redirection.kind == Kind::in) {
        Result<std::unique_ptr<Source>> source = open_file_input(executor_, redirection.file);
        if (!source) return source.error();
        in_ = std::move(*source);
        return {};
    }
    if (redirection.kind == Kind::err_to_out) {
        err_to_out_ = true;
        return {};
    }
    const bool append = redirection.kind == Kind::append_out || redirection.kind == Kind::append_err;
    Result<std::unique_ptr<Sink>> sink = open_file_output(executor_, redirection.file, append);
    if (!sink) return sink.error();
    const bool out = redirection.kind == Kind::out || redirection.kind == Kind::append_out;
    (out ? out_ : err_) = std::move(*sink);
    if (!out) err_to_out_ = false;
    return {};
}

Result<void> StatementStreams::start_program(const std::string& command, LocalProgram::Place place,
                                             LinePrinter print) {
    int input[2] = {-1, -1};
    int output[2] = {-1, -1};
    if (::pipe2(input, O_CLOEXEC) != 0) return no_pipe(errno);
    std::unique_ptr<Sink> sink = open_pipe_output(executor_, input[1]);
    if (print && ::pipe2(output, O_CLOEXEC) == 0)
        relay_ = std::make_shared<Relay>(executor_, output[0], std::move(print));
    Result<LocalProgram> program = LocalProgram::start(executor_, command, input[0], output[1], place);
    for (const int fd : {input[0], output[0], output[1]})
        if (fd >= 0) ::close(fd);
    if (!program) return program.error();
    program_.emplace(std::move(*program));
    (out_ ? pipe_ : out_) = std::move(sink);
    if (relay_) asio::co_spawn(executor_, Relay::run(relay_), asio::detached);
    return {};
}

Result<std::unique_ptr<Source>> StatementStreams::input() {
    if (in_) return std::move(in_);
    if (program_input_ < 0) return open_own_input(executor_, STDIN_FILENO);
    return unavailable("standard input is the script itself: redirect the command's, as in e cat < FILE");
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
    while (relay_ && !relay_->ended)
        co_await relay_->changed.wait();
    if (!closed) co_return closed.error();
    co_return status;
}

}  // namespace trellis
