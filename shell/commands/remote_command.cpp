#include "shell/commands/remote_command.hpp"

#include "trellis/message.hpp"

#include "agentd/core/companion.hpp"
#include "agentd/core/host_set.hpp"
#include "shell/output/outcome_text.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

// How long a command may take to heed one signal before it is sent the next.
constexpr Duration patience = std::chrono::seconds(3);

std::map<std::string, std::string> variables_at(const Place& place) {
    std::map<std::string, std::string> variables = place.environment;
    if (!place.previous.empty()) variables["OLDPWD"] = place.previous;
    return variables;
}

}  // namespace

RemoteCommand::RemoteCommand(ShellContext& context, std::vector<Host> hosts, OutputView& view,
                             RemotePipes* pipes)
    : context_(context),
      hosts_(std::move(hosts)),
      view_(view),
      pipes_(pipes && !pipes->empty() ? pipes : nullptr) {}

// The place where most of the hosts are is that of the request.
ExecRequest RemoteCommand::request_for(std::string command, const Places& places) const {
    std::map<Place, std::vector<HostId>> hosts_at;
    for (const Host& host : hosts_)
        hosts_at[places.of(host.name)].push_back(host.id);
    ExecRequest exec;
    exec.command = std::move(command);
    const auto most = std::max_element(hosts_at.begin(), hosts_at.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    });
    for (auto at = hosts_at.begin(); at != hosts_at.end(); ++at) {
        const auto& [place, hosts] = *at;
        if (at != most) {
            exec.places.push_back({HostSet(hosts).prefix_to(""), place.directory, variables_at(place)});
            continue;
        }
        exec.directory = place.directory;
        exec.env = variables_at(place);
    }
    return exec;
}

Task<std::map<std::string, Outcome>> RemoteCommand::run(std::string command, const Places& places,
                                                        std::optional<Duration> timeout) {
    ExecRequest exec = request_for(std::move(command), places);
    if (pipes_) pipes_->ask_for(exec);
    exec.folded = view_.folds() && !(pipes_ && (pipes_->takes(exec_stdout) || pipes_->takes(exec_stderr)));
    return run(std::move(exec), timeout);
}

Task<std::map<std::string, Outcome>> RemoteCommand::run_on_terminal(std::string command,
                                                                    std::optional<Duration> timeout,
                                                                    TerminalSize size) {
    ExecRequest exec = request_for(std::move(command), context_.seat().places);
    if (const char* type = std::getenv("TERM")) exec.env.try_emplace("TERM", type);
    exec.terminal = size;
    return run(std::move(exec), timeout);
}

Task<std::map<std::string, Outcome>> RemoteCommand::run(ExecRequest exec, std::optional<Duration> timeout) {
    executor_ = co_await asio::this_coro::executor;
    OperationRequest request{"exec", {}, encode(exec), timeout, false};
    for (const Host& host : hosts_) {
        names_[host.id] = host.name;
        request.hosts.push_back(host.id);
    }
    context_.last_output().clear();
    running_ = std::make_shared<Running>();
    const std::vector<HostId> hosts = request.hosts;
    running_->operation = context_.operations().start(std::move(request));
    context_.on_interrupt([this](int presses) { interrupt(presses); });
    context_.on_signal([this](int number) { signal(number); });
    if (pipes_) {
        pipes_->begin(hosts.size());
        co_await with_companion(show_all(), pipes_->feed(*running_->operation, hosts));
    } else {
        co_await show_all();
    }
    context_.on_interrupt({});
    context_.on_signal({});
    running_.reset();
    co_return std::move(outcomes_);
}

Task<void> RemoteCommand::show_all() {
    for (;;) {
        const std::optional<OperationEvent> event = co_await running_->operation->next();
        if (!event) break;
        co_await show(*event);
    }
}

Task<void> RemoteCommand::show_data(const std::string& host, const StreamData& data) {
    if (pipes_ && pipes_->takes(data.stream))
        co_return co_await pipes_->add(*running_->operation, host, data);
    keep(host, data);
    if (!data.bytes.empty()) co_await view_.add(host, data.stream, data.bytes);
    if (data.end) co_await view_.add(host, data.stream, "");
}

Task<void> RemoteCommand::show(const OperationEvent& event) {
    const std::string& host = names_[event.host];
    if (const auto* data = std::get_if<StreamData>(&event.what)) {
        co_await show_data(host, *data);
    } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event.what)) {
        context_.say(suspicion_line(host, suspicion->suspect));
    } else if (const auto* result = std::get_if<RoleResult>(&event.what)) {
        co_await show_kept(host, result->body);
        outcomes_[host] = result->outcome;
        if (pipes_) co_await pipes_->end(*running_->operation, host, result->outcome);
        co_await view_.end(host, result->outcome);
    }
}

// What the host has kept until its end.
Task<void> RemoteCommand::show_kept(const std::string& host, const std::string& body) {
    if (body.empty()) co_return;
    auto kept = decode<ExecOutput>(body);
    if (!kept) co_return context_.say(host + ": its output came malformed");
    const StreamData out{exec_stdout, std::move(kept->out), false};
    const StreamData err{exec_stderr, std::move(kept->err), false};
    co_await show_data(host, out);
    co_await show_data(host, err);
}

void RemoteCommand::keep(const std::string& host, const StreamData& data) {
    LastOutput& output = context_.last_output()[host];
    std::string& kept = data.stream == exec_stderr ? output.err : output.out;
    kept.append(data.bytes, 0, LastOutput::most_kept - kept.size());
}

void RemoteCommand::resize(TerminalSize size) {
    if (!running_) return;
    const ExecControl control{size, {}, 0};
    running_->operation->send_all(encode(control));
}

void RemoteCommand::interrupt(int presses) {
    if (!running_) return;
    if (presses > 1) {
        running_->operation->abandon();
        return;
    }
    context_.say("interrupting; Ctrl-C again gives up waiting");
    end(CancelLevel::interrupt);
}

void RemoteCommand::signal(int number) {
    if (!running_) return;
    if (number == SIGTERM) return end(CancelLevel::terminate);
    if (number == SIGKILL) return end(CancelLevel::kill);
    const ExecControl control{std::nullopt, {}, number};
    running_->operation->send_all(encode(control));
}

void RemoteCommand::end(CancelLevel level) {
    running_->operation->cancel(level);
    asio::co_spawn(executor_, escalate(running_, context_.clock(), level), asio::detached);
}

Task<void> RemoteCommand::escalate(std::weak_ptr<Running> running, Clock& clock, CancelLevel level) {
    constexpr CancelLevel levels[] = {CancelLevel::terminate, CancelLevel::kill};
    for (const CancelLevel harder : levels) {
        if (harder <= level) continue;
        co_await clock.sleep(patience);
        if (const auto still = running.lock()) still->operation->cancel(harder);
    }
}

}  // namespace trellis
