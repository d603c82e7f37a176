#include "tests/sim/sim_session.hpp"

#include "agentd/core/exec_messages.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::sim {

RouteRule everywhere() {
    return [](const std::string&, const std::string&) { return std::optional<Route>(Route{}); };
}

ExploreRequest explore_request(std::vector<std::string> hosts, RouteRule rule) {
    ExploreRequest request;
    request.hosts = std::move(hosts);
    request.rule = std::move(rule);
    request.limits.fan_out = 16;  // so that some have hosts below them
    return request;
}

std::vector<ExploreOutcome> explore(SimWorld& world, ExploreRequest request) {
    return world.run(world.root().explore(std::move(request)));
}

std::vector<ExploreOutcome> explore(SimWorld& world, std::vector<std::string> hosts) {
    return explore(world, explore_request(std::move(hosts)));
}

std::size_t reached(const std::vector<ExploreOutcome>& outcomes) {
    const auto good = [](const ExploreOutcome& each) { return each.outcome.ok(); };
    return static_cast<std::size_t>(std::ranges::count_if(outcomes, good));
}

std::string failures(const std::vector<ExploreOutcome>& outcomes) {
    std::string text;
    for (const auto& each : outcomes) {
        if (!each.outcome.ok()) text += each.name + ": " + each.outcome.detail + "\n";
    }
    return text;
}

std::vector<std::string> numbered(const std::string& prefix, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(prefix + std::to_string(i));
    return names;
}

std::vector<HostId> ids(SimWorld& world, const std::vector<std::string>& names) {
    std::vector<HostId> found;
    for (const auto& [id, member] : world.root().membership().members()) {
        const bool named = std::ranges::find(names, member.host.name) != names.end();
        if (names.empty() ? member.state != MemberState::lost : named) found.push_back(id);
    }
    return found;
}

ExecRun::ExecRun(SimWorld& world, const std::string& command, const ExecOptions& options)
    : state_(std::make_shared<State>(
          State{world, nullptr, options.reading, options.watch_memory, world.time().now(), {}, {}})) {
    const ExecRequest body{command, options.directory, options.env, {}, {}, std::nullopt, {}, options.folded};
    OperationRequest request{"exec", ids(world, options.hosts), encode(body), options.timeout, false};
    for (const HostId id : request.hosts) {
        state_->names[id] = world.root().membership().find(id)->host.name;
        state_->reports[state_->names[id]];
    }
    state_->operation = world.root().operations().start(std::move(request));
    asio::co_spawn(world.executor(), read(state_), asio::detached);
}

Task<void> ExecRun::read(std::shared_ptr<State> state) {
    while (auto event = co_await state->operation->next()) {
        if (state->watch_memory) {
            state->most_held = std::max(state->most_held, state->world.machines().held_bytes());
        }
        const bool output = note(*state, std::move(*event));
        if (output && state->reading > Duration(0)) co_await state->world.time().sleep(state->reading);
    }
    state->ended = true;
}

// True if the event was output.
bool ExecRun::note(State& state, OperationEvent event) {
    HostReport& report = state.reports.at(state.names.at(event.host));
    if (const auto* data = std::get_if<StreamData>(&event.what)) {
        (data->stream == exec_stdout ? report.out : report.err) += data->bytes;
        return true;
    }
    if (const auto* suspicion = std::get_if<HostSuspicion>(&event.what)) {
        ++(suspicion->suspect ? report.suspected : report.resumed);
    } else if (const auto* result = std::get_if<RoleResult>(&event.what)) {
        if (const auto kept = decode<ExecOutput>(result->body)) {
            report.out += kept->out;
            report.err += kept->err;
        }
        report.outcome = result->outcome;
        report.took = state.world.time().now() - state.begun;
    }
    return false;
}

void ExecRun::finish() {
    const auto state = state_;
    if (!state->world.advance_until([state] { return state->ended; }, std::chrono::hours(1))) {
        throw std::runtime_error("the command does not end");
    }
}

std::size_t ExecRun::succeeded() const {
    const auto good = [](const auto& entry) { return entry.second.outcome && entry.second.outcome->ok(); };
    return static_cast<std::size_t>(std::ranges::count_if(state_->reports, good));
}

ExecRun exec(SimWorld& world, const std::string& command, const ExecOptions& options) {
    ExecRun run(world, command, options);
    run.finish();
    return run;
}

}  // namespace trellis::sim
