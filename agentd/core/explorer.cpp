#include "agentd/core/explorer.hpp"

#include "agentd/core/adopt.hpp"
#include "agentd/core/tunnel_role.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

std::uint16_t port_of(const SshSettings& settings) {
    const auto place = settings.find("port");
    if (place == settings.end() || place->second.empty()) return 22;
    return static_cast<std::uint16_t>(std::strtoul(place->second.front().c_str(), nullptr, 10));
}

std::string address_of(const SshSettings& settings, const std::string& target) {
    const auto place = settings.find("hostname");
    return place == settings.end() || place->second.empty() ? target : place->second.front();
}

}  // namespace

Explorer::Explorer(Surroundings surroundings, ExploreRequest request)
    : around_(std::move(surroundings)),
      request_(std::move(request)),
      planner_(request_.rule, request_.limits),
      finished_(around_.world.executor) {}

void Explorer::add_hosts() {
    std::map<HostId, std::size_t> children;
    for (const auto& [id, member] : around_.membership.members()) {
        if (member.state == MemberState::alive) ++children[member.parent];
    }
    planner_.add_worker(root_id, "root", children[root_id]);
    for (const auto& [id, member] : around_.membership.members()) {
        if (member.state == MemberState::alive) planner_.add_worker(id, member.host.name, children[id]);
    }
    for (const std::string& name : request_.hosts) {
        const HostId id = around_.membership.reserve();
        targets_[id] = Target{outcomes_.size(), name, std::nullopt, {}};
        outcomes_.push_back({name, {}});
        planner_.add_target(id, name);
    }
}

Task<std::vector<ExploreOutcome>> Explorer::run() {
    add_hosts();
    while (ended_ < outcomes_.size()) {
        for (const auto& assignment : planner_.next())
            launch(assignment);
        if (planner_.in_flight() == 0) {
            for (const auto& left : planner_.stranded())
                conclude(left.target, left.outcome);
            break;
        }
        const Finished finished = co_await finished_.pop();
        settle(finished);
    }
    stop();
    co_return outcomes_;
}

void Explorer::stop() {
    stopped_ = true;
    for (const auto& login : logins_)
        login->emit(asio::cancellation_type::terminal);
    for (const auto& [worker, operation] : spawning_)
        operation->abandon();
    spawning_.clear();
    for (const auto& [id, target] : targets_)
        around_.membership.withdraw(id);
}

void Explorer::launch(const SpawnPlanner::Assignment& assignment) {
    Target& target = targets_.at(assignment.target);
    target.launched = around_.world.clock.now();
    if (!target.deadline) target.deadline = target.launched + request_.login_timeout;
    auto signal = std::make_shared<asio::cancellation_signal>();
    logins_.push_back(signal);
    asio::co_spawn(around_.world.executor, log_in(shared_from_this(), assignment),
                   asio::bind_cancellation_slot(signal->slot(), asio::detached));
}

Task<void> Explorer::log_in(Self self, SpawnPlanner::Assignment assignment) {
    Finished finished{assignment.worker, assignment.target, {}};
    const bool by_root = assignment.worker == root_id || assignment.route.end_to_end;
    self->around_.membership.expect(assignment.target, by_root ? root_id : assignment.worker);
    auto request = co_await self->request_for(assignment);
    if (!request) {
        finished.outcome = Outcome::of(request.error());
    } else if (assignment.route.end_to_end && assignment.worker != root_id) {
        finished.outcome = co_await self->log_in_end_to_end(std::move(*request), assignment.worker);
    } else if (assignment.worker == root_id) {
        finished.outcome = co_await self->log_in_from_root(std::move(*request), nullptr);
    } else {
        self->grant(assignment.worker, std::move(*request));
        co_return;
    }
    self->finished_.push(std::move(finished));
}

Task<Result<SpawnRequest>> Explorer::request_for(const SpawnPlanner::Assignment& assignment) {
    const Target& target = targets_.at(assignment.target);
    SpawnRequest request;
    request.id = assignment.target;
    request.name = target.name;
    request.target = assignment.route.target.empty() ? target.name : assignment.route.target;
    request.way = assignment.route.way;
    request.forward_agent = assignment.route.forward_agent;
    request.agent_directory = request_.agent_directory;
    if (request.way == SpawnWay::libssh) {
        auto settings = co_await around_.settings(request.target);
        if (!settings) co_return settings.error();
        request.settings = std::move(*settings);
    }
    const Duration left = *target.deadline - around_.world.clock.now();
    request.timeout = std::max<Duration>(left, std::chrono::milliseconds(1));
    co_return request;
}

Task<Outcome> Explorer::log_in_from_root(SpawnRequest request, std::unique_ptr<ByteStream> transport) {
    const auto host = co_await adopt(around_.node, around_.world.spawner, std::move(request),
                                     around_.authority, std::move(transport));
    co_return host ? Outcome::success() : Outcome::of(host.error());
}

Task<Outcome> Explorer::log_in_end_to_end(SpawnRequest request, HostId via) {
    TunnelRequest tunnel{address_of(request.settings, request.target), port_of(request.settings),
                         request.timeout};
    auto transport = co_await open_tunnel(around_.operations, via, std::move(tunnel));
    if (!transport) co_return Outcome::of(transport.error());
    co_return co_await log_in_from_root(std::move(request), std::move(*transport));
}

// The worker keeps the login's time and reports; one that falls silent is lost when its lease ends.
void Explorer::grant(HostId worker, SpawnRequest request) {
    if (stopped_) return;
    if (!spawning_.contains(worker)) {
        OperationRequest start;
        start.kind = "spawn";
        start.hosts = {worker};
        spawning_[worker] = around_.operations.start(std::move(start));
        asio::co_spawn(around_.world.executor, attend(shared_from_this(), worker, spawning_[worker]),
                       asio::detached);
    }
    SpawnGrant grant;
    grant.targets = {request};
    grant.settings = around_.node->settings();
    granted_[worker][request.id] = std::move(request);
    const SpawnCommand command = std::move(grant);
    spawning_[worker]->send(worker, encode(command));
}

Task<void> Explorer::attend(Self self, HostId worker, std::shared_ptr<Operation> operation) {
    while (auto event = co_await operation->next()) {
        if (const auto* message = std::get_if<HostMessage>(&event->what)) {
            auto news = decode<SpawnNews>(message->body);
            if (news) self->handle_news(worker, operation, std::move(*news));
        } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event->what)) {
            self->tell_suspicion(worker, suspicion->suspect);
        }
    }
    self->worker_ended(worker);
}

void Explorer::tell_suspicion(HostId worker, bool silent) const {
    const auto granted = granted_.find(worker);
    const bool waited_for = granted != granted_.end() && !granted->second.empty();
    if (waited_for && request_.suspicion)
        request_.suspicion(around_.membership.find(worker)->host.name, silent);
}

void Explorer::handle_news(HostId worker, const std::shared_ptr<Operation>& operation, SpawnNews news) {
    if (stopped_) return;
    const Self self = shared_from_this();
    if (auto* report = std::get_if<SpawnReport>(&news)) {
        if (granted_[worker].erase(report->id) > 0)
            finished_.push({worker, report->id, std::move(report->outcome)});
    } else if (auto* key = std::get_if<HostKeyQuestion>(&news)) {
        asio::co_spawn(around_.world.executor, answer_host_key(self, worker, operation, std::move(*key)),
                       asio::detached);
    } else {
        auto& agent = std::get<AgentQuestion>(news);
        asio::co_spawn(around_.world.executor, answer_agent(self, worker, operation, std::move(agent)),
                       asio::detached);
    }
}

Task<void> Explorer::answer_host_key(Self self, HostId worker, std::shared_ptr<Operation> operation,
                                     HostKeyQuestion question) {
    const auto& granted = self->granted_[worker];
    const auto place = granted.find(question.id);
    if (place == granted.end()) co_return;  // it may only ask about what it was granted
    const SpawnRequest request = place->second;
    const Result<void> verdict =
        co_await self->around_.authority.check_host_key(request, question.lookup, question.key);
    AuthorityAnswer answer{question.ticket, std::nullopt, ""};
    if (!verdict) answer.failure = Outcome::of(verdict.error());
    const SpawnCommand command = std::move(answer);
    operation->send(worker, encode(command));
}

Task<void> Explorer::answer_agent(Self self, HostId worker, std::shared_ptr<Operation> operation,
                                  AgentQuestion question) {
    const auto& granted = self->granted_[worker];
    const auto place = granted.find(question.id);
    AuthorityAnswer answer{question.ticket, std::nullopt, ""};
    if (place == granted.end() || !place->second.forward_agent) {
        answer.failure =
            Outcome::of({FailureKind::refused, "", "", "the user does not forward the ssh-agent"});
    } else {
        auto reply = co_await self->around_.authority.ask_agent(std::move(question.request));
        if (reply) answer.reply = std::move(*reply);
        if (!reply) answer.failure = Outcome::of(reply.error());
    }
    const SpawnCommand command = std::move(answer);
    operation->send(worker, encode(command));
}

void Explorer::worker_ended(HostId worker) {
    planner_.remove_worker(worker);
    spawning_.erase(worker);
    const auto lost = granted_.extract(worker);
    if (stopped_ || !lost) return;
    const Outcome outcome =
        Outcome::of({FailureKind::lost, "", "", "the host that logged in to it was lost"});
    for (const auto& [target, request] : lost.mapped())
        finished_.push({worker, target, outcome});
}

void Explorer::settle(const Finished& finished) {
    if (finished.outcome.ok()) {
        if (const std::string reason = around_.rejection(finished.target); !reason.empty()) {
            planner_.dropped(finished.worker, finished.target);
            conclude(finished.target, Outcome::of({FailureKind::refused, "", "", reason}));
            return;
        }
        planner_.reached(finished.worker, finished.target,
                         around_.world.clock.now() - targets_.at(finished.target).launched);
        conclude(finished.target, finished.outcome);
    } else if (!planner_.failed(finished.worker, finished.target, finished.outcome)) {
        conclude(finished.target, finished.outcome);
    }
}

void Explorer::conclude(HostId target, Outcome outcome) {
    reached_ += outcome.ok() ? 1 : 0;
    around_.membership.withdraw(target);
    ++ended_;
    outcomes_[targets_.at(target).index].outcome = std::move(outcome);
    if (request_.progress) request_.progress(reached_, ended_, outcomes_.size());
}

}  // namespace trellis
