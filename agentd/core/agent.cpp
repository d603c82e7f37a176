#include "agentd/core/agent.hpp"

#include "agentd/core/exec_role.hpp"
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
    roles_.push_back(tunnel_role());
}

Agent::~Agent() {
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
    node_->start();
    node_->attach_parent(std::move(parent));
    while (!ended_)
        co_await changed_.wait();
    const Failure why = *ended_;
    co_await end_operations();
    node_->shutdown();
    co_return why;
}

Task<void> Agent::end_operations() {
    for (const auto& [id, operation] : std::map(operations_))
        operation->cancel(CancelLevel::kill);
    while (!operations_.empty())
        co_await changed_.wait();
}

void Agent::parent_lost(const Failure& failure) {
    if (!ended_) ended_ = failure;
    changed_.notify();
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
        return parent_lost({FailureKind::cancelled, "", "", "the session has ended"});
    }
    const auto place = operations_.find(frame.operation);
    if (place == operations_.end()) return;
    const auto operation = place->second;
    if (frame.type != FrameType::cancel) return operation->deliver(std::move(frame));
    if (const auto cancel = decode<CancelOperation>(frame.body)) operation->cancel(cancel->level);
}

void Agent::start_operation(const Frame& frame) {
    auto start = decode<StartOperation>(frame.body);
    if (!start || operations_.contains(frame.operation)) return;
    const auto remaining = start->remaining;
    const auto kind = start->kind;
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
    asio::co_spawn(world_.executor, run_role(this, operation, std::move(role)),
                   asio::bind_cancellation_slot(operation->slot(), asio::detached));
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
    Frame frame;
    frame.type = FrameType::done;
    frame.bulk = true;  // behind the bytes that the operation has sent
    frame.source = node_->self();
    frame.destination = root_id;
    frame.operation = operation.id();
    frame.body = encode(result);
    node_->send(std::move(frame));
    operation.detach();
    operations_.erase(operation.id());
    changed_.notify();
}

}  // namespace trellis
