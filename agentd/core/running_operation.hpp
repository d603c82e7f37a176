// RunningOperation: one operation on one agent. It is the RoleContext of its role; the Agent feeds it frames
// and ends it. Shared between the Agent and the coroutine that runs the role.
#pragma once

#include "trellis/frame.hpp"
#include "trellis/role.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/core/stream.hpp"
#include "agentd/core/tree_messages.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/cancellation_signal.hpp>

namespace trellis {

class Node;

class RunningOperation final : public RoleContext, public std::enable_shared_from_this<RunningOperation> {
  public:
    RunningOperation(const World& world, Node& node, OperationId id, StartOperation start);

    // From the Agent.
    void deliver(Frame frame);  // message, data or ack of this operation
    void cancel(CancelLevel level);
    void expire();   // the allowed time is over
    void detach() {  // nothing is sent any more
        node_ = nullptr;
    }
    // The role has ended: tells the root, behind all that it has sent.
    void finish(const RoleResult& result);
    // What has come from the root; what it has not got is sent again.
    [[nodiscard]] OperationProgress progress() const;
    void send_again(const OperationProgress& at_root);
    // False if the root's message or cancel of this number has come before.
    bool admit_control(std::uint32_t sequence);
    [[nodiscard]] bool expired() const { return expired_; }
    [[nodiscard]] asio::cancellation_slot slot() { return stop_.slot(); }
    [[nodiscard]] OperationId id() const { return id_; }
    [[nodiscard]] const std::string& kind() const { return start_.kind; }

    // RoleContext
    [[nodiscard]] const World& world() const override { return world_; }
    [[nodiscard]] const std::string& request() const override { return start_.request; }
    [[nodiscard]] const PeerSession& peers() const override { return peers_; }
    Task<Result<RoleMessage>> receive() override;
    void send(HostId to, std::string body) override;
    Task<Result<void>> write(std::uint32_t stream, std::string bytes) override;
    void finish(std::uint32_t stream) override;
    Task<Result<std::string>> read(std::uint32_t stream) override;
    void on_cancel(std::function<void(CancelLevel)> handler) override {
        cancel_handler_ = std::move(handler);
    }

  private:
    struct Incoming {
        std::deque<std::string> chunks;  // an empty one is the end
        StreamReceiver receiver;
    };
    void receive_data(Frame frame);
    void send_stream(std::uint32_t stream, std::uint32_t sequence, std::string bytes);
    void send_data(std::uint32_t stream, std::string bytes);
    void send_done();
    Frame frame_to(HostId to, FrameType type) const;

    World world_;
    Node* node_;
    OperationId id_;
    StartOperation start_;
    PeerSession peers_;
    std::deque<RoleMessage> messages_;
    std::map<std::uint32_t, StreamSender> outgoing_;
    std::map<std::uint32_t, Incoming> incoming_;
    Signal changed_;  // anything above, or the end
    std::function<void(CancelLevel)> cancel_handler_;
    asio::cancellation_signal stop_;
    std::uint32_t control_ = 0;  // the last of the root's messages and cancels
    // All of them: one that is sent again on a new way may come behind later ones.
    std::set<std::uint32_t> controls_;
    std::optional<std::string> done_;  // the encoded result of the role
    bool ended_ = false;
    bool expired_ = false;
};

}  // namespace trellis
