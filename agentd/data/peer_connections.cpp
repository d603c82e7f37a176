#include "agentd/data/peer_connections.hpp"

#include "trellis/message.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {
namespace {

// A message, or that one has arrived.
struct DirectMessage {
    std::uint64_t sequence = 0;
    bool arrived = false;
    std::string body;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(sequence, arrived, body);
    }
};

std::string encode_message(std::uint64_t sequence, std::string body) {
    const DirectMessage message{sequence, false, std::move(body)};
    return encode(message);
}

std::string encode_arrival(std::uint64_t sequence) {
    const DirectMessage message{sequence, true, {}};
    return encode(message);
}

}  // namespace

// One message whose arrival is awaited.
struct PeerConnections::Slot {
    explicit Slot(const Executor& executor) : changed(executor) {}
    std::optional<bool> arrived;
    Signal changed;

    void settle(bool value) {
        if (!arrived) arrived = value;
        changed.notify();
    }
    // Writes `bytes` and returns when the slot is settled.
    static Task<void> fill(std::shared_ptr<Slot> slot, Connection on, std::string bytes) {
        const Result<void> written = co_await on->send(std::move(bytes));
        if (!written) slot->settle(false);
        while (!slot->arrived)
            co_await slot->changed.wait();
    }
};

struct PeerConnections::Peer {
    explicit Peer(const Executor& executor) : tried(executor) {}
    Endpoint endpoint;
    Connection connection;
    bool connecting = false;
    Signal tried;  // to connect
    std::map<std::uint64_t, std::shared_ptr<Slot>> slots;

    void settle_all() {
        for (const auto& [sequence, slot] : slots)
            slot->settle(false);
    }
    void give_up() {
        endpoint = {};
        if (connection) std::exchange(connection, nullptr)->close();
    }
};

// That somebody connects to a peer, until the end of the scope.
class PeerConnections::Connecting {
  public:
    explicit Connecting(Peer& peer) : peer_(peer) { peer_.connecting = true; }
    ~Connecting() {
        peer_.connecting = false;
        peer_.tried.notify();
    }
    Connecting(const Connecting&) = delete;
    Connecting& operator=(const Connecting&) = delete;

  private:
    Peer& peer_;
};

PeerConnections::PeerConnections(const World& world, PeerSession session, PeerPatience patience,
                                 OnMessage on_message)
    : executor_(world.executor),
      network_(world.network),
      clock_(world.clock),
      session_(std::move(session)),
      patience_(patience),
      on_message_(std::move(on_message)) {}

PeerConnections::~PeerConnections() = default;

void PeerConnections::open() {
    auto listener = network_.listen(session_);
    if (!listener) return;
    listener_ = std::move(*listener);
    asio::co_spawn(executor_, accept_all(), asio::detached);
}

void PeerConnections::close() {
    if (std::exchange(closed_, true)) return;
    if (listener_) listener_->close();
    for (const Connection& connection : connections_)
        connection->close();
    for (const auto& [id, peer] : peers_)
        peer->settle_all();
}

Endpoint PeerConnections::endpoint() const {
    return listener_ ? listener_->endpoint() : Endpoint();
}

void PeerConnections::learn(HostId id, Endpoint at) {
    peer(id).endpoint = std::move(at);
}

PeerConnections::Peer& PeerConnections::peer(HostId id) {
    std::unique_ptr<Peer>& found = peers_[id];
    if (!found) found = std::make_unique<Peer>(executor_);
    return *found;
}

void PeerConnections::serve(HostId id, const Connection& connection) {
    connections_.insert(connection);
    if (!peer(id).connection) peer(id).connection = connection;
    asio::co_spawn(executor_, read_from(id, connection), asio::detached);
}

void PeerConnections::drop(HostId id, const Connection& connection) {
    connection->close();
    connections_.erase(connection);
    if (peer(id).connection != connection) return;
    peer(id).connection = nullptr;
    peer(id).settle_all();
}

Task<void> PeerConnections::accept_all() {
    const auto self = shared_from_this();
    while (!closed_) {
        Result<Network::Incoming> incoming = co_await listener_->accept();
        if (!incoming || closed_) co_return;
        serve(incoming->peer, std::make_shared<MessageStream>(executor_, std::move(incoming->stream)));
    }
}

Task<void> PeerConnections::read_from(HostId id, Connection connection) {
    const auto self = shared_from_this();
    bool good = true;
    while (good) {
        const Result<std::string> bytes = co_await connection->receive();
        if (!bytes || closed_) break;
        good = co_await take(id, connection, *bytes);
    }
    drop(id, connection);
}

// False: the connection is of no use any more.
Task<bool> PeerConnections::take(HostId id, const Connection& connection, const std::string& bytes) {
    Result<DirectMessage> message = decode<DirectMessage>(bytes);
    if (!message) co_return false;
    if (message->arrived) {
        const auto slot = peer(id).slots.find(message->sequence);
        if (slot != peer(id).slots.end()) slot->second->settle(true);
        co_return true;
    }
    on_message_(id, message->sequence, std::move(message->body));
    std::string arrival = encode_arrival(message->sequence);
    const Result<void> sent = co_await connection->send(std::move(arrival));
    co_return sent.has_value();
}

Task<void> PeerConnections::connect(HostId id) {
    Peer& to = peer(id);
    const Connecting connecting(to);
    auto stream = co_await network_.connect(session_, id, to.endpoint, patience_.connect);
    if (!stream) to.endpoint = {};
    if (stream && !closed_) serve(id, std::make_shared<MessageStream>(executor_, std::move(*stream)));
}

// Null: there is no direct way.
Task<PeerConnections::Connection> PeerConnections::connection_to(HostId id) {
    Peer& to = peer(id);
    while (!to.connection && to.connecting)
        co_await to.tried.wait();
    if (!to.connection && to.endpoint.port != 0 && !closed_) co_await connect(id);
    co_return to.connection;
}

Task<bool> PeerConnections::send(HostId id, std::uint64_t sequence, std::string body) {
    using namespace asio::experimental::awaitable_operators;
    const auto self = shared_from_this();
    const Connection connection = co_await connection_to(id);
    if (!connection || closed_) co_return false;
    const Duration allowed = patience_.answer * (1 + static_cast<int>(body.size() >> 20));
    const auto slot = std::make_shared<Slot>(executor_);
    Peer& to = peer(id);
    to.slots[sequence] = slot;
    std::string message = encode_message(sequence, std::move(body));
    Task<void> filled = Slot::fill(slot, connection, std::move(message));
    Task<void> late = clock_.sleep(allowed);
    co_await (std::move(filled) || std::move(late));
    to.slots.erase(sequence);
    const bool arrived = slot->arrived.value_or(false);
    if (!arrived && to.connection == connection) to.give_up();
    co_return arrived;
}

}  // namespace trellis
