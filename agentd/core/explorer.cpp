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

// Those that say where a login goes.
std::map<std::string, std::string> telling(const SshSettings& settings) {
    std::map<std::string, std::string> chosen;
    for (const char* keyword : {"hostname", "user", "port", "proxyjump", "proxycommand"}) {
        const auto place = settings.find(keyword);
        if (place != settings.end() && !place->second.empty() && place->second.front() != "none")
            chosen[keyword] = place->second.front();
    }
    return chosen;
}

// Before a login whose connection was dropped so often is repeated.
Duration pause_after(int breaks) {
    return std::chrono::milliseconds(100) * (1 << std::min(breaks, 4));
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
    for (const std::string& name : request_.hosts)
        add_target(around_.membership.reserve(), name, "");
    for (const HostId id : request_.orphans)
        add_target(id, around_.membership.find(id)->host.name, door_of(around_.node->settings(), id));
}

void Explorer::add_target(HostId id, const std::string& name, std::string door) {
    targets_[id] = Target{outcomes_.size(), name, std::move(door), std::nullopt, {}, {}, 0};
    outcomes_.push_back({name, {}});
    planner_.add_target(id, name);
}

Task<std::vector<ExploreOutcome>> Explorer::run() {
    add_hosts();
    while (ended_ < outcomes_.size()) {
        for (const auto& assignment : planner_.next())
            launch(assignment);
        if (planner_.in_flight() == 0) {
            for (const auto& left : planner_.stranded())
                conclude(left.target, left.outcome);
            tell_progress();
            break;
        }
        do {
            const Finished finished = co_await finished_.pop();
            note_ended(finished);
            settle(finished);
        } while (!finished_.empty());
        tell_progress();
    }
    stop();
    co_return outcomes_;
}

void Explorer::stop() {
    stopped_ = true;
    for (const auto& login : logins_)
        login->emit(asio::cancellation_type::terminal);
    for (const auto& [worker, spawning] : spawning_)
        spawning.operation->abandon();
    spawning_.clear();
    for (const auto& [id, target] : targets_)
        around_.membership.withdraw(id);
}

void Explorer::launch(const SpawnPlanner::Assignment& assignment) {
    Target& target = targets_.at(assignment.target);
    target.launched = around_.world.clock.now();
    if (!target.deadline) target.deadline = target.launched + request_.login_timeout;
    const Member* worker = around_.membership.find(assignment.worker);
    target.attempt = {worker ? worker->host.name : "root", assignment.route, "", {}, {}, std::nullopt};
    auto signal = std::make_shared<asio::cancellation_signal>();
    logins_.push_back(signal);
    const auto keep = [signal](const std::exception_ptr&) {};  // the signal, for longer than the login
    asio::co_spawn(around_.world.executor, log_in(shared_from_this(), assignment),
                   asio::bind_cancellation_slot(signal->slot(), keep));
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
    Target& target = targets_.at(assignment.target);
    SpawnRequest request;
    request.id = assignment.target;
    request.name = target.name;
    request.target = assignment.route.target.empty() ? target.name : assignment.route.target;
    request.way = assignment.route.way;
    request.forward_agent = assignment.route.forward_agent;
    request.agent_directory = request_.agent_directory;
    request.door = target.door;
    if (request.way == SpawnWay::libssh) {
        auto settings = co_await around_.settings(request.target);
        if (!settings) co_return settings.error();
        request.settings = std::move(*settings);
    }
    const Duration left = *target.deadline - around_.world.clock.now();
    request.timeout = std::max<Duration>(left, std::chrono::milliseconds(1));
    if (assignment.others) request.connect_timeout = request.timeout / 2;
    target.attempt.target = request.target;
    target.attempt.settings = telling(request.settings);
    if (request_.attempt) request_.attempt(target.name, target.attempt);
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
    const bool first = !spawning_.contains(worker);
    if (first) spawning_[worker] = start_spawning(worker);
    granted_[worker][request.id] = request;
    tell(worker, std::move(request));
    if (!first) return;
    // On a worker that is lost it has ended already.
    asio::co_spawn(around_.world.executor, attend(shared_from_this(), worker, spawning_[worker].operation),
                   asio::detached);
    if (const Member* member = around_.membership.find(worker); member->state == MemberState::suspect)
        suspected(worker, true);
}

void Explorer::tell(HostId worker, SpawnCommand command) {
    const auto place = spawning_.find(worker);
    if (place != spawning_.end()) place->second.commands->add(std::move(command));
}

// What is ready for the worker at the same time goes to it in one message.
Explorer::Spawning Explorer::start_spawning(HostId worker) {
    OperationRequest start;
    start.kind = "spawn";
    start.hosts = {worker};
    std::shared_ptr<Operation> operation = around_.operations.start(std::move(start));
    auto commands = std::make_shared<Gathered<SpawnCommand>>(
        around_.world.executor, around_.world.clock, Duration::zero(),
        [operation, worker](const SpawnCommands& ready) { operation->send(worker, encode(ready)); });
    return {std::move(operation), std::move(commands)};
}

Task<void> Explorer::attend(Self self, HostId worker, std::shared_ptr<Operation> operation) {
    while (auto event = co_await operation->next()) {
        if (const auto* message = std::get_if<HostMessage>(&event->what)) {
            auto news = decode<SpawnNews>(message->body);
            if (!news) continue;
            for (SpawnEvent& each : *news)
                self->handle(worker, std::move(each));
        } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event->what)) {
            self->suspected(worker, suspicion->suspect);
        }
    }
    self->worker_ended(worker);
}

// What others may try is taken from a worker that has fallen silent, and what nobody else may when its time
// is over.
void Explorer::suspected(HostId worker, bool silent) {
    planner_.set_silent(worker, silent);
    const auto granted = granted_.find(worker);
    if (stopped_ || granted == granted_.end() || granted->second.empty()) return;
    if (request_.suspicion) request_.suspicion(around_.membership.find(worker)->host.name, silent);
    if (!silent) return;
    const Outcome outcome =
        Outcome::of({FailureKind::timed_out, "", "", "the host that logs in to it is silent"});
    std::erase_if(granted->second, [&](const auto& entry) {
        const bool taken = planner_.others_may_take(worker, entry.first);
        if (taken) finished_.push({worker, entry.first, outcome});
        return taken;
    });
    for (const auto& [target, request] : granted->second)
        asio::co_spawn(around_.world.executor, take_in_time(shared_from_this(), worker, target),
                       asio::detached);
}

Task<void> Explorer::take_in_time(Self self, HostId worker, HostId target) {
    co_await self->around_.world.clock.sleep_until(*self->targets_.at(target).deadline);
    if (self->stopped_) co_return;  // the table of members may be gone
    const bool silent = self->around_.membership.find(worker)->state != MemberState::alive;
    if (!silent || self->granted_[worker].erase(target) == 0) co_return;
    const Failure failure{FailureKind::timed_out, "", "", "the host that logs in to it is silent"};
    self->finished_.push({worker, target, Outcome::of(failure)});
}

void Explorer::handle(HostId worker, SpawnEvent event) {
    if (stopped_) return;
    const Self self = shared_from_this();
    if (auto* report = std::get_if<SpawnReport>(&event)) {
        if (granted_[worker].erase(report->id) > 0)
            finished_.push({worker, report->id, std::move(report->outcome)});
    } else if (auto* key = std::get_if<HostKeyQuestion>(&event)) {
        asio::co_spawn(around_.world.executor, answer_host_key(self, worker, std::move(*key)),
                       asio::detached);
    } else if (auto* agent = std::get_if<AgentQuestion>(&event)) {
        asio::co_spawn(around_.world.executor, answer_agent(self, worker, std::move(*agent)), asio::detached);
    } else {
        asio::co_spawn(around_.world.executor,
                       answer_full_agent(self, worker, std::get<FullAgentQuestion>(event)), asio::detached);
    }
}

Task<void> Explorer::answer_host_key(Self self, HostId worker, HostKeyQuestion question) {
    const auto& granted = self->granted_[worker];
    const auto place = granted.find(question.id);
    if (place == granted.end()) co_return;  // it may only ask about what it was granted
    const SpawnRequest request = place->second;
    const Result<void> verdict =
        co_await self->around_.authority.check_host_key(request, question.lookup, question.key);
    AuthorityAnswer answer{question.ticket, std::nullopt, ""};
    if (!verdict) answer.failure = Outcome::of(verdict.error());
    self->tell(worker, std::move(answer));
}

Task<void> Explorer::answer_agent(Self self, HostId worker, AgentQuestion question) {
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
    self->tell(worker, std::move(answer));
}

// Each piece goes in a message of its own, since many together would be too large for one.
Task<void> Explorer::answer_full_agent(Self self, HostId worker, FullAgentQuestion question) {
    if (!self->granted_[worker].contains(question.id)) co_return;
    AuthorityAnswer answer{question.ticket, std::nullopt, ""};
    auto piece = co_await self->around_.authority.full_agent(question.from);
    if (piece) answer.reply = std::move(*piece);
    if (!piece) answer.failure = Outcome::of(piece.error());
    self->tell(worker, std::move(answer));
    const auto place = self->spawning_.find(worker);
    if (place != self->spawning_.end()) place->second.commands->flush();
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

void Explorer::note_ended(const Finished& finished) {
    Target& target = targets_.at(finished.target);
    if (finished.rested || !request_.attempt) return;
    target.attempt.took = around_.world.clock.now() - target.launched;
    target.attempt.outcome = finished.outcome;
    request_.attempt(target.name, target.attempt);
}

// Enough for another login: what ends at once for lack of time would hide the true cause.
bool Explorer::time_left(HostId target) const {
    return *targets_.at(target).deadline - around_.world.clock.now() > request_.login_timeout / 8;
}

// An sshd with too many logins at a time drops some.
Task<void> Explorer::rest(Self self, Finished finished) {
    const Duration pause = pause_after(self->targets_.at(finished.target).breaks++);
    co_await self->around_.world.clock.sleep(pause);
    finished.rested = true;
    self->finished_.push(std::move(finished));
}

void Explorer::settle(const Finished& finished) {
    const bool left = time_left(finished.target);
    if (finished.outcome.kind == FailureKind::lost && !finished.rested && left) {
        asio::co_spawn(around_.world.executor, rest(shared_from_this(), finished), asio::detached);
        return;
    }
    if (finished.outcome.ok()) {
        if (const std::string reason = around_.rejection(finished.target); !reason.empty()) {
            planner_.dropped(finished.worker, finished.target);
            conclude(finished.target, Outcome::of({FailureKind::refused, "", "", reason}));
            return;
        }
        planner_.reached(finished.worker, finished.target,
                         around_.world.clock.now() - targets_.at(finished.target).launched);
        conclude(finished.target, finished.outcome);
    } else if (!planner_.failed(finished.worker, finished.target, finished.outcome, left)) {
        conclude(finished.target, finished.outcome);
    }
}

void Explorer::tell_progress() const {
    if (request_.progress) request_.progress(reached_, ended_, outcomes_.size());
}

void Explorer::conclude(HostId target, Outcome outcome) {
    reached_ += outcome.ok() ? 1 : 0;
    around_.membership.withdraw(target);
    ++ended_;
    outcomes_[targets_.at(target).index].outcome = std::move(outcome);
}

}  // namespace trellis
