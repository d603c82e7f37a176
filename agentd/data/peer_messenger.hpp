// PeerMessenger: messages between the participants of one operation: straight to the peer where it can be
// reached, over the control tree otherwise; delivered once whichever way they take, in no promised order.
// Owned by a role, which runs its work inside run(); it takes over the role's receiving, and knows nothing of
// what the messages say.
#pragma once

#include "trellis/role.hpp"

#include "agentd/data/peer_connections.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace trellis {

enum class PeerWay : std::uint8_t { direct, tree };

struct PeerMessage {
    HostId from{};  // root_id: the command
    std::string body;
    PeerWay way = PeerWay::tree;
};

class PeerMessenger {
  public:
    // `context` outlives it. The operation must have been started with `peers`.
    explicit PeerMessenger(RoleContext& context, PeerPatience patience = {});
    ~PeerMessenger();
    PeerMessenger(const PeerMessenger&) = delete;
    PeerMessenger& operator=(const PeerMessenger&) = delete;

    // Runs `work` while messages come in; returns what it returns, or rethrows what it throws, when nothing
    // of the messenger touches the context any more.
    Task<RoleResult> run(Task<RoleResult> work);

    // Where this host listens, to be told to the others; without addresses where it cannot listen.
    [[nodiscard]] Endpoint endpoint() const { return connections_->endpoint(); }
    // Where a peer listens. One that is not known or cannot be reached gets its messages over the tree,
    // unless it has connected itself.
    void learn(HostId peer, Endpoint at) { connections_->learn(peer, std::move(at)); }

    // Returns which way the message went: direct means that the peer has it, tree that it is on its way. To
    // the root always over the tree. Failures (invalid): too long, or to nobody who takes part. Only within
    // run().
    Task<Result<PeerWay>> send(HostId to, std::string body);
    // The next message from a participant or from the root; the operation's end as RoleContext::receive()
    // tells it. For one coroutine at a time.
    Task<Result<PeerMessage>> receive();

  private:
    // Which numbers have come, in whatever order.
    class Sequences {
      public:
        bool add(std::uint64_t number);  // false: it has come before

      private:
        std::uint64_t all_below_ = 0;
        std::set<std::uint64_t> above_;
    };

    void deliver(HostId from, std::uint64_t sequence, std::string body, PeerWay way);
    void take_from_tree(RoleMessage message);
    Task<void> receive_from_tree();

    RoleContext& context_;
    std::shared_ptr<PeerConnections> connections_;
    std::map<HostId, std::uint64_t> next_;
    std::map<HostId, Sequences> received_;
    std::deque<PeerMessage> inbox_;
    std::optional<Failure> ended_;  // of the tree
    Signal changed_;                // inbox_ or ended_
};

}  // namespace trellis
