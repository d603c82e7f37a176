// RootOperation: one operation as the root sees it: what was sent to each host, what has come from it, and
// what came of it. Owned by the command that started it; known to the table of operations while it lives.
#pragma once

#include "trellis/operation.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/core/root_operations.hpp"
#include "agentd/core/stream.hpp"
#include "agentd/core/tree_messages.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class RootOperation final : public Operation {
  public:
    RootOperation(RootOperations& table, OperationId id, const std::vector<HostId>& hosts)
        : table_(&table), node_(table.node_), id_(id), changed_(table.executor_) {
        for (const HostId host : hosts)
            parts_[host];
        left_ = parts_.size();
        table_->running_[id] = this;
    }
    RootOperation(const RootOperation&) = delete;
    RootOperation& operator=(const RootOperation&) = delete;
    ~RootOperation() override {
        if (left_ > 0) cancel(CancelLevel::kill);
        if (table_) table_->running_.erase(id_);
    }

    Task<std::optional<OperationEvent>> next() override;
    void send(HostId to, std::string body) override;
    void send_all(std::string body) override;
    Task<Result<void>> write(HostId to, std::uint32_t stream, std::string bytes) override;
    void finish(HostId to, std::uint32_t stream) override;
    Task<Result<std::unique_ptr<ByteStream>>> connect(HostId to, Endpoint at, Duration timeout) override;
    [[nodiscard]] PeerSession meeting() const override { return session_; }
    void cancel(CancelLevel level) override;
    void abandon() override;
    [[nodiscard]] OperationId id() const override { return id_; }

    // Starts it on these hosts.
    void begin(const StartOperation& start, std::vector<HostId> hosts);
    void deliver(Frame frame);
    // Empty if this host has no part in it any more.
    [[nodiscard]] std::optional<OperationProgress> progress(HostId host) const;
    // What the host has not got of it; null: it knows nothing of the operation.
    void send_again(HostId host, const OperationProgress* at_host);
    void end(HostId host, std::shared_ptr<const RoleResult> result);
    void fail(HostId host, const Failure& failure);
    void suspicion(HostId host, bool suspect);
    // The session has ended before the operation: nothing more comes, whoever waits is woken.
    void orphan() {
        table_ = nullptr;
        left_ = 0;
        changed_.notify();
    }

  private:
    struct Part {
        bool ended = false;
        std::map<std::uint32_t, StreamReceiver> incoming;
        std::map<std::uint32_t, StreamSender> outgoing;
    };
    // What was sent to hosts, in order: the start (sequence 0), messages and cancels.
    struct Control {
        Frame frame;
        HostSet to;
    };
    void acknowledge();
    void send_control(Frame frame, const HostSet& to);
    void receive_message(Part& part, Frame frame);
    void receive_data(Part& part, Frame frame);
    void receive_ends(const Frame& frame);
    void receive_end(const std::vector<HostId>& hosts, const std::string& end_bytes);
    bool has_got(HostId host, const std::map<std::uint32_t, std::uint32_t>& sent);
    void push(HostId host, decltype(OperationEvent::what) what);
    void push(OperationEvent event, std::shared_ptr<const RoleResult> result);
    void send_stream(HostId to, std::uint32_t stream, std::uint32_t sequence, std::string bytes);
    void send_data(HostId to, Part& part, std::uint32_t stream, std::string bytes);
    [[nodiscard]] Frame frame(FrameType type) const;
    [[nodiscard]] HostSet running() const;

    RootOperations* table_;  // null once that is gone
    std::shared_ptr<Node> node_;
    OperationId id_;
    PeerSession session_;  // as the hosts have it
    std::map<HostId, Part> parts_;
    std::vector<Control> controls_;
    std::size_t left_ = 0;
    struct Arrival {
        OperationEvent event;
        std::shared_ptr<const RoleResult> result;  // the event's; of all hosts that have the same
    };
    std::deque<Arrival> arrivals_;
    struct Unacknowledged {
        HostId host{};
        std::uint32_t stream = 0;
        std::size_t bytes = 0;
    };
    std::optional<Unacknowledged> given_;  // the data or message that next() returned last
    Signal changed_;
};

}  // namespace trellis
