#include "shell/remote_command.hpp"

#include "trellis/message.hpp"

#include "agentd/core/exec_messages.hpp"
#include "shell/outcome_text.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

// How long a command may take to heed one signal before it is sent the next.
constexpr Duration patience = std::chrono::seconds(3);

}  // namespace

RemoteCommand::RemoteCommand(ShellContext& context, OutputView& view) : context_(context), view_(view) {}

Task<std::map<std::string, Outcome>> RemoteCommand::run(std::string command, std::string directory,
                                                        std::optional<Duration> timeout) {
    executor_ = co_await asio::this_coro::executor;
    ExecRequest exec{std::move(command), std::move(directory), context_.seat().environment};
    OperationRequest request{"exec", {}, encode(exec), timeout, false};
    for (const Host& host : context_.selection()) {
        names_[host.id] = host.name;
        request.hosts.push_back(host.id);
    }
    context_.seat().last_output.clear();
    running_ = std::make_shared<Running>();
    running_->operation = context_.operations().start(std::move(request));
    context_.on_interrupt([this](int presses) { interrupt(presses); });
    for (;;) {
        const std::optional<OperationEvent> event = co_await running_->operation->next();
        if (!event) break;
        co_await show(*event);
    }
    context_.on_interrupt({});
    running_.reset();
    co_return std::move(outcomes_);
}

Task<void> RemoteCommand::show(const OperationEvent& event) {
    const std::string& host = names_[event.host];
    if (const auto* data = std::get_if<StreamData>(&event.what)) {
        keep(host, *data);
        if (!data->bytes.empty()) co_await view_.add(host, data->stream, data->bytes);
        if (data->end) co_await view_.add(host, data->stream, "");
    } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event.what)) {
        context_.say(suspicion_line(host, suspicion->suspect));
    } else if (const auto* result = std::get_if<RoleResult>(&event.what)) {
        outcomes_[host] = result->outcome;
        co_await view_.end(host, result->outcome);
    }
}

void RemoteCommand::keep(const std::string& host, const StreamData& data) {
    LastOutput& output = context_.seat().last_output[host];
    std::string& kept = data.stream == exec_stderr ? output.err : output.out;
    kept.append(data.bytes, 0, LastOutput::most_kept - kept.size());
}

void RemoteCommand::interrupt(int presses) {
    if (!running_) return;
    if (presses > 1) {
        running_->operation->abandon();
        return;
    }
    context_.say("interrupting; Ctrl-C again gives up waiting");
    running_->operation->cancel(CancelLevel::interrupt);
    asio::co_spawn(executor_, escalate(running_, context_.clock()), asio::detached);
}

Task<void> RemoteCommand::escalate(std::weak_ptr<Running> running, Clock& clock) {
    constexpr CancelLevel levels[] = {CancelLevel::terminate, CancelLevel::kill};
    for (const CancelLevel level : levels) {
        co_await clock.sleep(patience);
        if (const auto still = running.lock()) still->operation->cancel(level);
    }
}

}  // namespace trellis
