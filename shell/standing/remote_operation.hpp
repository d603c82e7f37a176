// RemoteOperation: an operation that the session's process runs for this front end. Owned by the command that
// started it; destroying it ends what still runs. Takes events no faster than the command does.
#pragma once

#include "trellis/operation.hpp"

#include "agentd/core/mailbox.hpp"
#include "shell/standing/remote_cluster.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

// What has come of one operation; shared by the RemoteOperation and the cluster that feeds it.
struct RemoteCluster::Running {
    Running(RemoteCluster& of, CallNumber number, const std::vector<HostId>& hosts)
        : cluster(&of),
          network(of.network_),
          call(number),
          left(hosts.begin(), hosts.end()),
          changed(of.executor_) {}
    // Does nothing after the end.
    void send(const ToSession& message) const {
        if (cluster) cluster->send(message);
    }
    void add(OperationEvent event);
    void written(const Written& done);
    // Gives an outcome to the hosts that have none yet.
    void end(FailureKind kind, const std::string& why);

    RemoteCluster* cluster;  // null once it has ended
    Network& network;
    PeerSession meeting;
    CallNumber call;
    std::set<HostId> left;
    std::deque<OperationEvent> events;
    std::map<std::pair<HostId, std::uint32_t>, std::string> writes;  // that are done, and why they failed
    Signal changed;
};

class RemoteOperation final : public Operation {
  public:
    explicit RemoteOperation(std::shared_ptr<RemoteCluster::Running> running)
        : running_(std::move(running)) {}
    ~RemoteOperation() override;
    RemoteOperation(const RemoteOperation&) = delete;
    RemoteOperation& operator=(const RemoteOperation&) = delete;

    Task<std::optional<OperationEvent>> next() override;
    void send(HostId to, std::string body) override;
    void send_all(std::string body) override;
    Task<Result<void>> write(HostId to, std::uint32_t stream, std::string bytes) override;
    void finish(HostId to, std::uint32_t stream) override;
    Task<Result<std::unique_ptr<ByteStream>>> connect(HostId to, Endpoint at, Duration timeout) override;
    [[nodiscard]] PeerSession meeting() const override { return running_->meeting; }
    void cancel(CancelLevel level) override;
    void abandon() override;
    [[nodiscard]] OperationId id() const override { return OperationId{running_->call}; }

  private:
    std::shared_ptr<RemoteCluster::Running> running_;
    std::size_t consumed_ = 0;  // bytes of events, not told to the session yet
};

// What an event counts against event_window.
[[nodiscard]] std::size_t event_size(const OperationEvent& event);

}  // namespace trellis
