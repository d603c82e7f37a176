#include "agentd/core/exec_role.hpp"

#include "agentd/core/companion.hpp"
#include "agentd/core/exec_messages.hpp"
#include "agentd/core/host_set.hpp"

#include <csignal>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

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

// Each descriptor once, in one direction.
bool well_formed(const ExecRequest& request) {
    std::set<std::int32_t> seen{Process::out, Process::err};
    for (const auto* descriptors : {&request.inputs, &request.outputs})
        for (const std::int32_t number : *descriptors)
            if (number < 0 || number >= most_descriptors || !seen.insert(number).second) return false;
    return true;
}

// Takes the directory and the variables that this host has.
Result<void> go_to_place(ExecRequest& request, HostId self) {
    for (ExecPlace& place : request.places) {
        const auto hosts = HostSet::read_prefix(place.hosts);
        if (!hosts) return hosts.error();
        if (!hosts->first.contains(self)) continue;
        request.directory = std::move(place.directory);
        request.env = std::move(place.env);
        break;
    }
    return {};
}

class ExecRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override;

  private:
    Result<void> start(RoleContext& context, ExecRequest request);
    Task<void> work(RoleContext& context);
    Task<void> serve(RoleContext& context, std::size_t first);
    Task<void> pump_all(RoleContext& context, std::size_t first);
    Task<void> pump(RoleContext& context, std::int32_t output);
    [[nodiscard]] bool keeps(std::int32_t output, std::size_t more);
    std::string take_kept();
    Task<void> feed(RoleContext& context, std::int32_t input);
    Task<void> reap(Clock& clock);
    Task<void> obey(RoleContext& context);
    void signal(int number);

    std::unique_ptr<Process> process_;
    ExitStatus status_;
    bool joined_ = false;
    bool folded_ = false;  // all that was printed so far is kept
    std::map<std::int32_t, std::string> kept_;
    std::size_t kept_size_ = 0;
    std::vector<std::int32_t> inputs_;
    std::vector<std::int32_t> outputs_{Process::out, Process::err};
    std::size_t open_outputs_ = 0;
};

Result<void> ExecRole::start(RoleContext& context, ExecRequest request) {
    if (!well_formed(request)) return invalid("descriptors that cannot be joined");
    joined_ = request.joined();
    folded_ = request.folded && !request.terminal;
    inputs_ = request.inputs;
    if (request.terminal) inputs_ = {0};
    outputs_.insert(outputs_.end(), request.outputs.begin(), request.outputs.end());
    open_outputs_ = outputs_.size();
    const ProcessSpec spec{{"/bin/sh", "-c", std::move(request.command)},
                           std::move(request.directory),
                           std::move(request.env),
                           std::move(request.inputs),
                           std::move(request.outputs),
                           request.terminal};
    auto process = context.world().processes.start(spec);
    if (!process) return process.error();
    process_ = std::move(*process);
    return {};
}

Task<RoleResult> ExecRole::run(RoleContext& context) {
    auto request = decode<ExecRequest>(context.request());
    if (!request) co_return RoleResult{Outcome::of(request.error()), ""};
    const Result<void> placed = go_to_place(*request, context.peers().self);
    if (!placed) co_return RoleResult{Outcome::of(placed.error()), ""};
    const Result<void> started = start(context, std::move(*request));
    if (!started) co_return RoleResult{Outcome::of(started.error()), ""};
    context.on_cancel([this](CancelLevel level) { signal(signal_of(level)); });
    RoleResult result;
    try {
        co_await with_companion(work(context), serve(context, 0));
        result.outcome = outcome_of(status_);
    } catch (const std::exception&) {  // cancelled; what was printed before is told all the same
        result.outcome = Outcome::of({FailureKind::cancelled, "", "", "cancelled"});
    }
    result.body = take_kept();
    co_return result;
}

Task<void> ExecRole::work(RoleContext& context) {
    using namespace asio::experimental::awaitable_operators;
    co_await (pump_all(context, 0) && reap(context.world().clock));
}

// All inputs from the one of that place on, and messages, side by side.
Task<void> ExecRole::serve(RoleContext& context, std::size_t first) {
    using namespace asio::experimental::awaitable_operators;
    if (first == inputs_.size())
        co_await obey(context);
    else
        co_await (feed(context, inputs_[first]) && serve(context, first + 1));
}

Task<void> ExecRole::pump_all(RoleContext& context, std::size_t first) {
    using namespace asio::experimental::awaitable_operators;
    if (first + 1 == outputs_.size())
        co_await pump(context, outputs_[first]);
    else
        co_await (pump(context, outputs_[first]) && pump_all(context, first + 1));
}

Task<void> ExecRole::pump(RoleContext& context, std::int32_t output) {
    const auto stream = static_cast<std::uint32_t>(output);
    for (;;) {
        std::string bytes = co_await process_->read(output);
        if (bytes.empty()) break;
        std::string& kept = kept_[output];
        kept += bytes;
        if (keeps(output, bytes.size())) continue;
        bytes = std::exchange(kept, std::string());
        const Result<void> written = co_await context.write(stream, std::move(bytes));
        if (!written) break;
    }
    if (joined_ && !keeps(output, 0)) context.finish(stream);
    --open_outputs_;
}

// Once there is too much, nothing more is kept.
bool ExecRole::keeps(std::int32_t output, std::size_t more) {
    if (output != Process::out && output != Process::err) return false;
    kept_size_ += more;
    if (kept_size_ > most_kept_output) folded_ = false;
    return folded_;
}

// Follows what the streams have brought.
std::string ExecRole::take_kept() {
    const ExecOutput output{std::move(kept_[Process::out]), std::move(kept_[Process::err])};
    return output.out.empty() && output.err.empty() ? std::string() : encode(output);
}

// What the process does not want to read is thrown away: it must not hold up the other hosts.
Task<void> ExecRole::feed(RoleContext& context, std::int32_t input) {
    bool wanted = true;
    for (;;) {
        Result<std::string> bytes = co_await context.read(static_cast<std::uint32_t>(input));
        if (!bytes || bytes->empty()) break;
        if (!wanted) continue;
        const Result<void> written = co_await process_->write(input, std::move(*bytes));
        wanted = written.has_value();
    }
    process_->close(input);
}

Task<void> ExecRole::obey(RoleContext& context) {
    for (;;) {
        const Result<RoleMessage> message = co_await context.receive();
        if (!message) co_return;
        const auto control = decode<ExecControl>(message->body);
        if (!control || message->from != root_id) continue;
        if (control->size) process_->resize(*control->size);
        for (const std::int32_t output : control->closed)
            process_->close(output);
        if (control->signal != 0) signal(control->signal);
    }
}

// When the command itself has ended, what it left in the background is given a moment to finish its output
// and is then killed: nothing outlives its operation.
Task<void> ExecRole::reap(Clock& clock) {
    status_ = co_await process_->wait();
    for (int i = 0; i < 100 && open_outputs_ > 0; ++i)
        co_await clock.sleep(std::chrono::milliseconds(2));
    if (open_outputs_ > 0) process_->signal(SIGKILL);
}

void ExecRole::signal(int number) {
    process_->signal(number);
    if (number == SIGHUP || number == SIGINT || number == SIGTERM) process_->signal(SIGCONT);
}

}  // namespace

RoleEntry exec_role() {
    return {"exec", []() -> std::unique_ptr<Role> { return std::make_unique<ExecRole>(); }};
}

}  // namespace trellis
