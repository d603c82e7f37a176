// PeerConnections: the direct connections of one operation on one host, made when first needed or taken from
// peers that connect, and used in both directions. Shared by its user and the coroutines on its connections;
// after close() it calls nobody. It knows no other way than the direct one.
#pragma once

#include "trellis/network.hpp"
#include "trellis/world.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/data/message_stream.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace trellis {

struct PeerPatience {
    Duration connect = std::chrono::seconds(2);
    Duration answer = std::chrono::seconds(2);  // and as much again for each MiB of the message
};

class PeerConnections : public std::enable_shared_from_this<PeerConnections> {
  public:
    // Called for each message that comes; the same one may come twice if its sender could not know.
    using OnMessage = std::function<void(HostId from, std::uint64_t sequence, std::string body)>;

    PeerConnections(const World& world, PeerSession session, PeerPatience patience, OnMessage on_message);
    ~PeerConnections();
    PeerConnections(const PeerConnections&) = delete;
    PeerConnections& operator=(const PeerConnections&) = delete;

    // Begins to listen where that is possible.
    void open();
    // Ends all: what waits in send() returns false.
    void close();
    // Without addresses: it does not listen.
    [[nodiscard]] Endpoint endpoint() const;
    void learn(HostId peer, Endpoint at);
    // True: the peer has it. False: there is no connection, or no answer on it; then it counts as gone until
    // learn() or until the peer connects.
    Task<bool> send(HostId to, std::uint64_t sequence, std::string body);

  private:
    using Connection = std::shared_ptr<MessageStream>;
    struct Peer;
    struct Slot;
    class Connecting;
    Peer& peer(HostId id);
    void serve(HostId id, const Connection& connection);
    void drop(HostId id, const Connection& connection);
    Task<void> accept_all();
    Task<void> read_from(HostId id, Connection connection);
    Task<bool> take(HostId id, const Connection& connection, const std::string& bytes);
    Task<void> connect(HostId id);
    Task<Connection> connection_to(HostId id);

    Executor executor_;
    Network& network_;
    Clock& clock_;
    PeerSession session_;
    PeerPatience patience_;
    OnMessage on_message_;
    std::unique_ptr<Network::Listener> listener_;
    std::map<HostId, std::unique_ptr<Peer>> peers_;
    std::set<Connection> connections_;
    bool closed_ = false;
};

}  // namespace trellis
