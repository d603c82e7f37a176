#include "shell/running/invocation.hpp"

#include "shell/running/joined_program.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <unistd.h>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace trellis {

Invocation::Invocation(InvocationParts parts)
    : parts_(std::move(parts)),
      operations_(parts_.session.cluster().operations(),
                  [&session = parts_.session](HostId id) { return session.host_name(id); }),
      began_in_foreground_(parts_.job.foreground()) {
    parts_.job.enter(this);
}

Invocation::~Invocation() {
    parts_.job.leave(operations_.hosts());
}

Sink& Invocation::out() const {
    return parts_.streams.out() ? *parts_.streams.out() : parts_.console.out();
}

Sink& Invocation::err() const {
    if (parts_.streams.err_to_out()) return out();
    return parts_.streams.err() ? *parts_.streams.err() : parts_.console.err();
}

void Invocation::press() {
    ++presses_;
    parts_.streams.signal(SIGINT);
    const auto handler = handler_;  // it may replace itself
    if (handler)
        handler(presses_);
    else
        cancel_.emit(asio::cancellation_type::terminal);
}

bool Invocation::signal(int number) {
    if (signal_handler_) {
        parts_.streams.signal(number);
        signal_handler_(number);
        return true;
    }
    const std::array<int, 4> ends{SIGHUP, SIGINT, SIGTERM, SIGKILL};
    if (std::find(ends.begin(), ends.end(), number) == ends.end()) return false;
    parts_.streams.signal(number);
    ended_by_ = number;
    cancel_.emit(asio::cancellation_type::terminal);
    return true;
}

void Invocation::abandon() {
    parts_.streams.signal(SIGKILL);
    ended_by_ = SIGKILL;
    cancel_.emit(asio::cancellation_type::terminal);
}

Task<int> Invocation::run_cancellable(Command& command) {
    const Executor executor = co_await asio::this_coro::executor;
    auto running = asio::co_spawn(executor, command.run(*this),
                                  asio::bind_cancellation_slot(cancel_.slot(), asio::use_awaitable));
    co_return co_await std::move(running);
}

Task<int> Invocation::run_command(Command& command) {
    int status = 1;
    try {
        status = co_await run_cancellable(command);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted)
            status = fail(error.what(), 1);
        else if (interrupted())
            status = fail("interrupted", status_interrupted);
        else if (ended_by_ != 0)
            status = 128 + ended_by_;
    } catch (const std::exception& error) {
        status = fail(std::string("internal error: ") + error.what(), 1);
    }
    handler_ = {};
    signal_handler_ = {};
    if (parts_.job.foreground()) parts_.console.clear_progress();
    try {
        co_await flush_said();
    } catch (const boost::system::system_error&) {
        status = 1;
    }
    leave_outcomes();
    co_return output_failed_ ? 1 : status;
}

void Invocation::leave_outcomes() {
    std::map<std::string, Outcome> outcomes = operations_.take();
    if (!parts_.job.foreground()) {
        if (!outcomes.empty()) parts_.job.outcomes = std::move(outcomes);
        if (last_output_) parts_.job.last_output = std::move(last_output_);
        return;
    }
    if (!outcomes.empty()) parts_.seat.note_outcomes(std::move(outcomes));
    if (last_output_) parts_.seat.last_output = *std::move(last_output_);
}

void Invocation::take_over(Job& other) {
    for (const auto& [host, outcome] : std::exchange(other.outcomes, {}))
        operations_.record(host, outcome);
    if (!other.last_output) return;
    for (auto& [host, output] : *other.last_output)
        last_output()[host] = std::move(output);
    other.last_output.reset();
}

std::map<std::string, LastOutput>& Invocation::last_output() {
    return last_output_ ? *last_output_ : last_output_.emplace();
}

Task<void> Invocation::put(Sink& sink, std::string text) {
    const Result<void> written = co_await parts_.console.write(sink, std::move(text));
    if (written) co_return;
    if (written.error().cause == reader_gone)
        reader_left_ = true;
    else if (!std::exchange(output_failed_, true))
        parts_.console.say(parts_.label + ": " + written.error().cause);
    throw boost::system::system_error(asio::error::operation_aborted);
}

Task<Result<std::string>> Invocation::read_input() {
    if (!source_) {
        Result<std::unique_ptr<Source>> opened = input();
        if (!opened) co_return opened.error();
        source_ = std::move(*opened);
    }
    co_return co_await source_->read();
}

Task<void> Invocation::print(std::string text) {
    co_await flush_said();
    if (!parts_.streams.out()) parts_.console.clear_progress();
    co_await put(out(), std::move(text));
}

Task<void> Invocation::print_error(std::string text) {
    co_await flush_said();
    if (!parts_.streams.err()) parts_.console.clear_progress();
    co_await put(err(), std::move(text));
}

Task<void> Invocation::flush_said() {
    if (said_.empty()) co_return;
    std::string text = std::exchange(said_, "");
    co_await put(err(), std::move(text));
}

Task<void> Invocation::relay(Source& source, int descriptor) {
    for (;;) {
        Result<std::string> bytes = co_await source.read();
        if (!bytes || bytes->empty()) co_return;
        if (descriptor == STDERR_FILENO)
            co_await print_error(std::move(*bytes));
        else
            co_await print(std::move(*bytes));
    }
}

// The first Ctrl-C is left to the program, which has been sent it, too.
Task<Result<int>> Invocation::run_here(std::string program) {
    using namespace asio::experimental::awaitable_operators;
    const Executor executor = co_await asio::this_coro::executor;
    const std::vector<int> none, outputs{STDOUT_FILENO, STDERR_FILENO};
    Result<JoinedProgram> started = start_joined_program(executor, program, none, outputs, program_input());
    if (!started) co_return started.error();
    handler_ = [this](int presses) {
        if (presses > 1) cancel_.emit(asio::cancellation_type::terminal);
    };
    co_await (relay(*started->outputs[STDOUT_FILENO], STDOUT_FILENO) &&
              relay(*started->outputs[STDERR_FILENO], STDERR_FILENO));
    const int status = co_await started->program.wait();
    handler_ = {};
    co_return status;
}

void Invocation::say(std::string line) {
    if (&err() == &parts_.console.err())
        parts_.console.say(line);
    else
        said_ += line + "\n";
}

void Invocation::progress(std::string line) {
    if (!parts_.streams.piped() && parts_.job.foreground()) parts_.console.progress(line);
}

void Invocation::quit(std::optional<int> status) {
    quits_ = true;
    quit_status_ = status;
}

int Invocation::fail(const std::string& cause, int status) {
    say(parts_.label + ": " + cause);
    return status;
}

}  // namespace trellis
