#include "shell/invocation.hpp"

#include <exception>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace trellis {

Invocation::Invocation(InvocationParts parts)
    : parts_(std::move(parts)),
      operations_(parts_.session.cluster().operations(),
                  [&session = parts_.session](HostId id) { return session.host_name(id); }),
      previous_handler_(parts_.interrupts.handle([this] { press(); })) {}

Invocation::~Invocation() {
    parts_.interrupts.handle(std::move(previous_handler_));
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
    if (parts_.console.err().terminal()) parts_.console.err().write_now("\n");  // after the terminal's ^C
    const auto handler = handler_;                                              // it may replace itself
    if (handler)
        handler(presses_);
    else
        cancel_.emit(asio::cancellation_type::terminal);
}

namespace {

// While it lives, what cancels the one cancels the other.
class PassedOn {
  public:
    PassedOn(asio::cancellation_slot from, asio::cancellation_signal& to) : from_(from) {
        if (from_.is_connected()) from_.assign([&to](asio::cancellation_type type) { to.emit(type); });
    }
    ~PassedOn() {
        if (from_.is_connected()) from_.clear();
    }
    PassedOn(const PassedOn&) = delete;
    PassedOn& operator=(const PassedOn&) = delete;

  private:
    asio::cancellation_slot from_;
};

}  // namespace

Task<int> Invocation::run_cancellable(Command& command) {
    const Executor executor = co_await asio::this_coro::executor;
    auto running = asio::co_spawn(executor, command.run(*this),
                                  asio::bind_cancellation_slot(cancel_.slot(), asio::use_awaitable));
    // An end of the whole front end (SIGTERM) ends the command too.
    const asio::cancellation_state outer = co_await asio::this_coro::cancellation_state;
    const PassedOn passed_on(outer.slot(), cancel_);
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
    } catch (const std::exception& error) {
        status = fail(std::string("internal error: ") + error.what(), 1);
    }
    handler_ = {};
    parts_.console.clear_progress();
    try {
        co_await flush_said();
    } catch (const boost::system::system_error&) {
        status = 1;
    }
    std::map<std::string, Outcome> outcomes = operations_.take();
    if (!outcomes.empty()) parts_.seat.note_outcomes(std::move(outcomes));
    co_return output_failed_ ? 1 : status;
}

Task<void> Invocation::put(Sink& sink, std::string text) {
    const Result<void> written = co_await sink.write(std::move(text));
    if (written) co_return;
    if (written.error().cause == reader_gone)
        reader_left_ = true;
    else if (!std::exchange(output_failed_, true))
        parts_.console.say(parts_.label + ": " + written.error().cause);
    throw boost::system::system_error(asio::error::operation_aborted);
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

void Invocation::say(std::string line) {
    if (&err() == &parts_.console.err())
        parts_.console.say(line);
    else
        said_ += line + "\n";
}

void Invocation::progress(std::string line) {
    if (!parts_.streams.piped()) parts_.console.progress(line);
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
