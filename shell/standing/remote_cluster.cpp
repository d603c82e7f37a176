#include "shell/standing/remote_cluster.hpp"

#include "shell/standing/remote_operation.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

constexpr const char* session_gone = "the session has ended";

}  // namespace

// One explore that waits for its outcomes; on the stack of the coroutine that waits.
struct RemoteCluster::Exploring {
    Exploring(RemoteCluster& of, CallNumber number, const ExplorePlan& with)
        : cluster(&of), call(number), plan(with), ended_signal(of.executor_) {
        cluster->exploring_[call] = this;
    }
    ~Exploring() {
        if (!cluster) return;
        cluster->exploring_.erase(call);
        if (!ended) cluster->send(StopCall{call});
    }
    Exploring(const Exploring&) = delete;
    Exploring& operator=(const Exploring&) = delete;

    RemoteCluster* cluster;  // null once that is gone
    CallNumber call;
    const ExplorePlan& plan;
    std::map<std::string, Outcome> outcomes;
    bool ended = false;
    Signal ended_signal;
};

RemoteCluster::RemoteCluster(Executor executor, Network& network, std::unique_ptr<Link> link)
    : executor_(std::move(executor)), network_(network), link_(std::move(link)), news_(executor_) {}

RemoteCluster::~RemoteCluster() {
    *alive_ = false;
    for (const auto& [call, exploring] : exploring_)
        exploring->cluster = nullptr;
    for (const auto& [call, operation] : operations_)
        operation->end(FailureKind::lost, session_gone);
}

Task<Result<SeatParts>> RemoteCluster::attach(Attach as, Listener listener) {
    listener_ = std::move(listener);
    send(std::move(as));
    asio::co_spawn(executor_, listen(alive_), asio::detached);
    while (!attached_ && !ended_)
        co_await news_.wait();
    if (attached_) co_return std::move(seat_);
    const std::string why = farewell_.empty() ? "it has ended just now" : farewell_;
    co_return unavailable(why);
}

void RemoteCluster::send(const ToSession& message) {
    if (!ended_) link_->send(session_frame(message));
}

Task<void> RemoteCluster::leave() {
    leaving_ = true;
    send(Leave{});
    while (!ended_)
        co_await news_.wait();
}

Task<void> RemoteCluster::listen(std::shared_ptr<const bool> alive) {
    for (;;) {
        Result<Frame> frame = co_await link_->receive();
        if (!*alive) co_return;
        if (!frame) co_return end(frame.error().cause);
        Result<ToFrontEnd> message = decode<ToFrontEnd>(frame->body);
        if (!message) co_return end("what it says is not understood");
        std::visit([this](auto& body) { take(body); }, *message);
    }
}

void RemoteCluster::end(const std::string& why) {
    ended_ = true;
    for (const auto& [call, exploring] : exploring_)
        exploring->ended_signal.notify();
    for (const auto& [call, operation] : std::exchange(operations_, {}))
        operation->end(FailureKind::lost, session_gone);
    news_.notify();
    if (attached_ && !leaving_) listener_.ended(farewell_.empty() ? why : farewell_);
}

void RemoteCluster::take(Attached&) {
    attached_ = true;
    news_.notify();
}

void RemoteCluster::take(MemberNews& news) {
    const Member* before = membership_.find(news.member.host.id);
    const bool changed = before && before->state != news.member.state;
    const HostId id = news.member.host.id;
    membership_.copy(std::move(news.member), news.view);
    if (changed && changed_) changed_(*membership_.find(id));
}

Task<std::vector<ExploreResult>> RemoteCluster::explore(ExplorePlan plan) {
    Exploring exploring(*this, ++last_call_, plan);
    send(ExploreCall{exploring.call, plan.hosts, plan.login_timeout, plan.fan_out});
    while (!exploring.ended && !ended_)
        co_await exploring.ended_signal.wait();
    co_return take_results(exploring, plan.hosts);
}

std::vector<ExploreResult> RemoteCluster::take_results(Exploring& exploring,
                                                       const std::vector<std::string>& hosts) const {
    const Failure gone{FailureKind::lost, "", "", session_gone};
    std::vector<ExploreResult> results;
    results.reserve(hosts.size());
    for (const std::string& host : hosts) {
        const auto found = exploring.outcomes.find(host);
        results.push_back({host, found == exploring.outcomes.end() ? Outcome::of(gone) : found->second});
    }
    return results;
}

void RemoteCluster::take(ExploreProgress& progress) {
    const auto found = exploring_.find(progress.call);
    if (found != exploring_.end() && found->second->plan.progress)
        found->second->plan.progress(progress.reached, progress.ended, progress.all);
}

void RemoteCluster::take(ExploreSuspicion& suspicion) {
    const auto found = exploring_.find(suspicion.call);
    if (found != exploring_.end() && found->second->plan.suspicion)
        found->second->plan.suspicion(suspicion.host, suspicion.silent);
}

void RemoteCluster::take(ExploreAttempt& tried) {
    const auto found = exploring_.find(tried.call);
    if (found != exploring_.end() && found->second->plan.attempt)
        found->second->plan.attempt(tried.host, tried.attempt);
}

void RemoteCluster::take(ExploreOutcomeNews& news) {
    const auto found = exploring_.find(news.call);
    if (found != exploring_.end()) found->second->outcomes[news.host] = std::move(news.outcome);
}

std::unique_ptr<Operation> RemoteCluster::start(OperationRequest request) {
    const CallNumber call = ++last_call_;
    auto running = std::make_shared<Running>(*this, call, request.hosts);
    auto operation = std::make_unique<RemoteOperation>(running);
    if (ended_)
        running->end(FailureKind::lost, session_gone);
    else
        operations_[call] = std::move(running);
    request.root_key = network_.public_key();
    send(OperationCall{call, std::move(request)});
    return operation;
}

void RemoteCluster::take(OperationMeets& meets) {
    const auto found = operations_.find(meets.call);
    if (found != operations_.end()) found->second->meeting = std::move(meets.meeting);
}

void RemoteCluster::take(OperationNews& news) {
    const auto found = operations_.find(news.call);
    if (found != operations_.end()) found->second->add(std::move(news.event));
}

void RemoteCluster::take(Written& written) {
    const auto found = operations_.find(written.call);
    if (found != operations_.end()) found->second->written(written);
}

void RemoteCluster::take(CallEnded& ended) {
    if (const auto found = exploring_.find(ended.call); found != exploring_.end()) {
        found->second->ended = true;
        found->second->ended_signal.notify();
    }
    if (const auto operation = operations_.extract(ended.call))
        operation.mapped()->end(FailureKind::cancelled, "given up");
}

}  // namespace trellis
