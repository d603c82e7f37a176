#include "agentd/core/exec_role.hpp"

#include "agentd/core/exec_messages.hpp"

#include <csignal>
#include <optional>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

int signal_of(CancelLevel level) {
    switch (level) {
        case CancelLevel::interrupt:
            return SIGINT;
        case CancelLevel::terminate:
            return SIGTERM;
        case CancelLevel::kill:
            break;
    }
    return SIGKILL;
}

Outcome outcome_of(const ExitStatus& status) {
    if (!status.signalled && status.code == 0) return Outcome::success();
    Outcome outcome;
    outcome.state = status.signalled ? Outcome::State::signalled : Outcome::State::exited;
    outcome.code = status.code;
    return outcome;
}

class ExecRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override;

  private:
    Task<void> pump(RoleContext& context, Process::Output output, std::uint32_t stream);
    Task<void> reap(Clock& clock);

    std::unique_ptr<Process> process_;
    ExitStatus status_;
    int open_outputs_ = 2;
};

Task<RoleResult> ExecRole::run(RoleContext& context) {
    const auto request = decode<ExecRequest>(context.request());
    if (!request) co_return RoleResult{Outcome::of(request.error()), ""};
    const ProcessSpec spec{{"/bin/sh", "-c", request->command}, request->directory, request->env};
    auto process = context.world().processes.start(spec);
    if (!process) co_return RoleResult{Outcome::of(process.error()), ""};
    process_ = std::move(*process);
    context.on_cancel([this](CancelLevel level) { process_->signal(signal_of(level)); });
    using namespace asio::experimental::awaitable_operators;
    co_await (pump(context, Process::Output::out, exec_stdout) &&
              pump(context, Process::Output::err, exec_stderr) && reap(context.world().clock));
    RoleResult result;
    result.outcome = outcome_of(status_);
    co_return result;
}

Task<void> ExecRole::pump(RoleContext& context, Process::Output output, std::uint32_t stream) {
    for (;;) {
        std::string bytes = co_await process_->read(output);
        if (bytes.empty()) break;
        const Result<void> written = co_await context.write(stream, std::move(bytes));
        if (!written) break;
    }
    --open_outputs_;
}

// When the command itself has ended, what it left in the background is given a moment to finish its output
// and is then killed: nothing outlives its operation.
Task<void> ExecRole::reap(Clock& clock) {
    status_ = co_await process_->wait();
    for (int i = 0; i < 100 && open_outputs_ > 0; ++i)
        co_await clock.sleep(std::chrono::milliseconds(2));
    if (open_outputs_ > 0) process_->signal(SIGKILL);
}

}  // namespace

RoleEntry exec_role() {
    return {"exec", []() -> std::unique_ptr<Role> { return std::make_unique<ExecRole>(); }};
}

}  // namespace trellis
