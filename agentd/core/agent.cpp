#include "agentd/core/agent.hpp"

#include "agentd/core/exec_role.hpp"
#include "agentd/core/ping_role.hpp"
#include "agentd/core/spawn_role.hpp"
#include "agentd/core/tunnel_role.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

Agent::Agent(const World& world, Hello hello, std::vector<RoleEntry> roles)
    : world_(world), hello_(std::move(hello)), roles_(std::move(roles)), changed_(world.executor) {
    roles_.push_back(exec_role());
    roles_.push_back(ping_role());
    roles_.push_back(tunnel_role());
}

Agent::~Agent() {
    for (const auto& [id, operation] : finished_)
        operation->detach();
    if (node_) node_->shutdown();
}

Task<Result<Welcome>> Agent::greet(Link& parent) {
    Frame hello;
    hello.type = FrameType::hello;
    hello.body = encode(hello_);
    parent.send(std::move(hello));
    Result<Frame> answer = co_await parent.receive();
    if (!answer) co_return answer.error();
    if (answer->type != FrameType::welcome) {
        co_return Failure{FailureKind::refused, "join the tree", "", "the parent does not answer as one"};
    }
    co_return decode<Welcome>(answer->body);
}

Task<Failure> Agent::run(std::unique_ptr<Link> parent) {
    const Result<Welcome> welcome = co_await greet(*parent);
    if (!welcome) co_return welcome.error();
    node_ = std::make_shared<Node>(world_.executor, world_.clock, welcome->settings, welcome->id, *this);
    self_ = {welcome->id, welcome->incarnation, welcome->name, hello_.machine, hello_.addresses, hello_.key};
    node_->start();
    node_->attach_parent(std::move(parent));
    if (open_door_ && !welcome->settings.session.empty()) open_door_(door_of(welcome->settings, welcome->id));
    while (!ended_)
        co_await changed_.wait();
    const Failure why = *ended_;
    co_await end_operations();
    co_await node_->dismiss_children(std::chrono::seconds(2));
    node_->shutdown();
    co_await operations_ended(std::chrono::minutes(10));  // what waits for files that hang may yet clean up
    co_return why;
}

Task<void> Agent::end_operations() {
    const auto is_tunnel = [](const auto& entry) { return entry.second->kind() == "tunnel"; };
    const TimePoint until = world_.clock.now() + std::chrono::seconds(1);
    // A tunnel carries the link of an agent that is leaving, too.
    while (std::ranges::any_of(operations_, is_tunnel) && world_.clock.now() < until)
        co_await world_.clock.sleep(std::chrono::milliseconds(5));
    for (const auto& [id, operation] : std::map(operations_))
        operation->cancel(CancelLevel::kill);
    co_await operations_ended(std::chrono::seconds(10));
}

Task<void> Agent::operations_ended(Duration most) {
    const TimePoint until = world_.clock.now() + most;
    while (!operations_.empty() && world_.clock.now() < until)
        co_await world_.clock.sleep(std::chrono::milliseconds(5));
}

Task<void> Agent::rejoin(std::unique_ptr<Link> parent) {
    if (ended_) co_return;
    hello_.id = node_->self();
    hello_.below = node_->below();
    const std::weak_ptr<Agent*> alive = alive_;
    const Result<Welcome> welcome = co_await greet(*parent);
    if (!welcome || alive.expired() || ended_ || welcome->id != node_->self()) co_return;
    ++losses_;
    node_->attach_parent(std::move(parent));
}

void Agent::end(const Failure& failure) {
    if (!ended_) ended_ = failure;
    changed_.notify();
}

// If the link has ended, its jobs go on for a while: another agent may become its parent. If it is the lease
// that has, the root has given up, too.
void Agent::parent_lost(const Failure& failure) {
    const bool may_heal =
        failure.kind == FailureKind::lost && node_->settings().orphan_grace > Duration::zero();
    if (!open_door_ || !may_heal) return end(failure);
    asio::co_spawn(world_.executor, wait_for_parent(alive_, ++losses_, failure), asio::detached);
}

Task<void> Agent::wait_for_parent(std::weak_ptr<Agent*> agent, std::uint64_t loss, Failure failure) {
    Agent& self = **agent.lock();
    co_await self.world_.clock.sleep(self.node_->settings().orphan_grace);
    const auto still = agent.lock();
    if (still && self.losses_ == loss) self.end(failure);
}

void Agent::note(std::string text) {
    if (!node_) return;
    Frame frame;
    frame.type = FrameType::note;
    frame.source = node_->self();
    frame.destination = root_id;
    frame.body = std::move(text);
    node_->send(std::move(frame));
}

void Agent::child_news(FrameType type, ChildNews news) {
    Frame frame;
    frame.type = type;
    frame.source = node_->self();
    frame.destination = root_id;
    frame.body = encode(news);
    node_->send(std::move(frame));
}

void Agent::deliver(Frame frame) {
    if (frame.type == FrameType::start) return start_operation(frame);
    if (frame.type == FrameType::bye) {
        return end({FailureKind::cancelled, "", "", "the session has ended"});
    }
    if (frame.type == FrameType::resume) return resume(frame);
    const auto operation = find_operation(frame.operation);
    if (!operation) return;
    if (frame.type != FrameType::cancel) return operation->deliver(std::move(frame));
    const auto cancel = decode<CancelOperation>(frame.body);
    if (cancel && operation->admit_control(frame.sequence)) operation->cancel(cancel->level);
}

std::shared_ptr<RunningOperation> Agent::find_operation(OperationId id) const {
    for (const auto* operations : {&operations_, &finished_}) {
        if (const auto place = operations->find(id); place != operations->end()) return place->second;
    }
    return nullptr;
}

void Agent::tell_progress() {
    Resume resume;
    for (const auto* operations : {&operations_, &finished_}) {
        for (const auto& [id, operation] : *operations)
            resume.operations.push_back(operation->progress());
    }
    Frame frame;
    frame.type = FrameType::resume;
    frame.source = node_->self();
    frame.destination = root_id;
    frame.body = encode(resume);
    node_->send(std::move(frame));
}

// What the root does not list has ended there.
void Agent::resume(const Frame& frame) {
    const auto resume = decode<Resume>(frame.body);
    if (!resume) return;
    std::map<OperationId, const OperationProgress*> listed;
    for (const OperationProgress& progress : resume->operations)
        listed[progress.operation] = &progress;
    std::erase_if(finished_, [&](const auto& entry) { return !listed.contains(entry.first); });
    for (const auto& [id, operation] : std::map(operations_)) {
        if (!listed.contains(id)) operation->cancel(CancelLevel::kill);
    }
    for (const auto& [id, progress] : listed) {
        if (const auto operation = find_operation(id)) operation->send_again(*progress);
    }
    tell_progress();
}

void Agent::start_operation(const Frame& frame) {
    auto start = decode<StartOperation>(frame.body);
    if (!start || operations_.contains(frame.operation) || finished_.contains(frame.operation)) return;
    std::erase_if(finished_, [&](const auto& entry) {
        return std::find(start->running.begin(), start->running.end(), entry.first) == start->running.end();
    });
    const auto remaining = start->remaining;
    const auto kind = start->kind;
    if (start->participants.empty()) start->participants.push_back(self_);
    auto operation = std::make_shared<RunningOperation>(world_, *node_, frame.operation, std::move(*start));
    const auto entry =
        std::find_if(roles_.begin(), roles_.end(), [&](const RoleEntry& row) { return row.kind == kind; });
    operations_[frame.operation] = operation;
    std::unique_ptr<Role> role;
    if (kind == "spawn") role = make_spawn_role(*node_);
    if (!role && entry != roles_.end()) role = entry->make();
    if (!role) {
        const Failure failure{FailureKind::invalid, "", "", "this agent does not know the operation " + kind};
        return finish_operation(*operation, {Outcome::of(failure), ""});
    }
    if (remaining) {
        asio::co_spawn(world_.executor, watch_time(this, operation, *remaining), asio::detached);
    }
    const auto keep = [operation](const std::exception_ptr&) {};  // its slot, for longer than the role
    asio::co_spawn(world_.executor, run_role(this, operation, std::move(role)),
                   asio::bind_cancellation_slot(operation->slot(), keep));
}

Task<void> Agent::run_role(Agent* agent, std::shared_ptr<RunningOperation> operation,
                           std::unique_ptr<Role> role) {
    RoleResult result;
    try {
        result = co_await role->run(*operation);
    } catch (const std::exception& error) {
        const Failure failure{FailureKind::cancelled, "", "", "cancelled"};
        result.outcome = Outcome::of(failure);
    }
    if (operation->expired()) result.outcome = Outcome::of({FailureKind::timed_out, "", "", "timed out"});
    role.reset();
    agent->finish_operation(*operation, result);
}

Task<void> Agent::watch_time(Agent* agent, std::weak_ptr<RunningOperation> operation, Duration remaining) {
    co_await agent->world_.clock.sleep(remaining);
    if (const auto running = operation.lock()) running->expire();
}

void Agent::finish_operation(RunningOperation& operation, const RoleResult& result) {
    operation.finish(result);
    if (auto running = operations_.extract(operation.id())) finished_.insert(std::move(running));
    changed_.notify();
}

}  // namespace trellis
