#include "shell/remote_command.hpp"

#include "trellis/message.hpp"

#include "agentd/core/exec_messages.hpp"
#include "shell/outcome_text.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

LabelledLines::Style label_style(const RemoteCommandStyle& style) {
    return style.json ? LabelledLines::Style::json : LabelledLines::Style::label;
}

// How long a command may take to heed one signal before it is sent the next.
constexpr Duration patience = std::chrono::seconds(3);

}  // namespace

RemoteCommand::RemoteCommand(ShellContext& context, RemoteCommandStyle style)
    : context_(context),
      style_(style),
      out_(label_style(style), context.terminal() && !style.raw),
      err_(label_style(style), context.error_terminal() && !style.raw) {}

Task<std::map<std::string, Outcome>> RemoteCommand::run(std::string command, std::string directory,
                                                        std::optional<Duration> timeout) {
    executor_ = co_await asio::this_coro::executor;
    ExecRequest exec{std::move(command), std::move(directory), context_.seat().environment};
    OperationRequest request{"exec", {}, encode(exec), timeout, false};
    for (const Host& host : context_.selection()) {
        names_[host.id] = host.name;
        request.hosts.push_back(host.id);
    }
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
        co_await show_stream(host, *data);
    } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event.what)) {
        context_.say(suspicion_line(host, suspicion->suspect));
    } else if (const auto* result = std::get_if<RoleResult>(&event.what)) {
        co_await show_result(host, result->outcome);
    }
}

Task<void> RemoteCommand::show_stream(const std::string& host, const StreamData& data) {
    const bool to_err = data.stream == exec_stderr && !style_.json;
    LabelledLines& lines = to_err ? err_ : out_;
    std::string text = lines.add(host, data.stream, data.bytes);
    if (data.end) text += lines.finish(host, data.stream);
    if (text.empty()) co_return;
    if (to_err)
        co_await context_.print_error(std::move(text));
    else
        co_await context_.print(std::move(text));
}

Task<void> RemoteCommand::show_result(const std::string& host, const Outcome& outcome) {
    outcomes_[host] = outcome;
    std::string text = out_.finish(host, exec_stdout) + out_.finish(host, exec_stderr);
    if (style_.json)
        text +=
            outcome_json(host, outcome).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::string err_text = err_.finish(host, exec_stderr);
    if (!text.empty()) co_await context_.print(std::move(text));
    if (!err_text.empty()) co_await context_.print_error(std::move(err_text));
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
