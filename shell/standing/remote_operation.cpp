#include "shell/standing/remote_operation.hpp"

#include <utility>

namespace trellis {

std::size_t event_size(const OperationEvent& event) {
    constexpr std::size_t around = 64;
    if (const auto* data = std::get_if<StreamData>(&event.what)) return around + data->bytes.size();
    if (const auto* message = std::get_if<HostMessage>(&event.what)) return around + message->body.size();
    if (const auto* result = std::get_if<RoleResult>(&event.what)) return around + result->body.size();
    return around;
}

void RemoteCluster::Running::add(OperationEvent event) {
    if (!cluster) return;
    if (std::holds_alternative<RoleResult>(event.what)) left.erase(event.host);
    events.push_back(std::move(event));
    changed.notify();
}

void RemoteCluster::Running::written(const Written& done) {
    writes[{done.to, done.stream}] = done.failure;
    changed.notify();
}

void RemoteCluster::Running::end(FailureKind kind, const std::string& why) {
    const Failure gone{kind, "", "", why};
    for (const HostId host : std::exchange(left, {}))
        events.push_back({host, RoleResult{Outcome::of(gone), ""}});
    cluster = nullptr;
    changed.notify();
}

RemoteOperation::~RemoteOperation() {
    if (!running_->cluster) return;
    running_->send(StopCall{running_->call});
    running_->cluster->operations_.erase(running_->call);
}

Task<std::optional<OperationEvent>> RemoteOperation::next() {
    if (consumed_ >= event_window / 4) running_->send(Consumed{running_->call, std::exchange(consumed_, 0)});
    while (running_->events.empty() && !running_->left.empty())
        co_await running_->changed.wait();
    if (running_->events.empty()) co_return std::nullopt;
    OperationEvent event = std::move(running_->events.front());
    running_->events.pop_front();
    consumed_ += event_size(event);
    co_return event;
}

void RemoteOperation::send(HostId to, std::string body) {
    running_->send(MessageToHosts{running_->call, to, std::move(body)});
}

void RemoteOperation::send_all(std::string body) {
    running_->send(MessageToHosts{running_->call, std::nullopt, std::move(body)});
}

// One write at a time to each stream: the next one starts when the session has passed this one on.
Task<Result<void>> RemoteOperation::write(HostId to, std::uint32_t stream, std::string bytes) {
    const std::shared_ptr<RemoteCluster::Running> running = running_;
    const std::pair<HostId, std::uint32_t> place{to, stream};
    running_->send(WriteToHost{running->call, to, stream, std::move(bytes), false});
    while (!running->writes.contains(place) && running->cluster)
        co_await running->changed.wait();
    const auto done = running->writes.extract(place);
    if (done && done.mapped().empty()) co_return Result<void>{};
    const std::string cause = done ? done.mapped() : "the other end is gone";
    co_return Failure{FailureKind::lost, "", "", cause};
}

void RemoteOperation::finish(HostId to, std::uint32_t stream) {
    running_->send(WriteToHost{running_->call, to, stream, "", true});
}

Task<Result<std::unique_ptr<ByteStream>>> RemoteOperation::connect(HostId to, Endpoint at, Duration timeout) {
    const std::shared_ptr<RemoteCluster::Running> running = running_;
    co_return co_await running->network.connect(running->meeting, to, std::move(at), timeout);
}

void RemoteOperation::cancel(CancelLevel level) {
    running_->send(CancelCall{running_->call, level, false});
}

// Does not wait for the session.
void RemoteOperation::abandon() {
    if (!running_->cluster) return;
    running_->send(CancelCall{running_->call, CancelLevel::kill, true});
    running_->cluster->operations_.erase(running_->call);
    running_->end(FailureKind::cancelled, "given up");
}

}  // namespace trellis
