#include "agentd/os/tls_network.hpp"

#include "agentd/core/pair_hello.hpp"
#include "agentd/os/file_descriptor.hpp"
#include "agentd/os/listening_sockets.hpp"
#include "agentd/os/tls_listener.hpp"
#include "agentd/os/tls_session.hpp"
#include "agentd/os/tls_stream.hpp"
#include "agentd/os/wakeup.hpp"

#include <chrono>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/write.hpp>

namespace trellis {
namespace {

using asio::ip::tcp;
using boost::system::error_code;
using Connection = std::shared_ptr<TlsConnection>;

// As it goes into the keys and the hellos, nobody can talk the two ends into the other kind.
PairPurpose purpose_of(const PeerSession& session) {
    return session.plain ? PairPurpose::plain_stream : PairPurpose::stream;
}

// How far a connection came before it failed.
enum class Stage { connecting, proving };

Failure failure_of(Stage stage, const Deadline& deadline, const error_code& error) {
    Failure failure{FailureKind::unreachable, "connect to a peer", "", error.message()};
    if (deadline.passed()) {
        failure.kind = FailureKind::timed_out;
        failure.cause = "no answer";
    } else if (stage == Stage::proving) {
        failure.kind = FailureKind::refused;
        failure.cause = "who answers is not the peer, or takes no part in this operation";
    }
    return failure;
}

// Connects and proves both sides to each other; the hello and the handshake leave together.
Task<Result<Connection>> dial(Connection connection, tcp::endpoint to, std::string hello, Duration time) {
    const Deadline deadline(connection, time);
    error_code error;
    std::size_t size = 0;
    std::tie(error) = co_await connection->socket().async_connect(to, as_result);
    if (error) co_return failure_of(Stage::connecting, deadline, error);
    close_on_exec(connection->socket().native_handle());
    connection->socket().set_option(tcp::no_delay(true), error);
    const auto content = asio::buffer(hello);
    std::tie(error, size) = co_await asio::async_write(connection->socket(), content, as_result);
    if (!error) {
        const Result<void> proved = co_await connection->handshake(TlsConnection::Side::client);
        if (proved) co_return connection;
    }
    connection->close();
    co_return failure_of(Stage::proving, deadline, error);
}

std::string where(const tcp::endpoint& to) {
    return to.address().to_string() + " port " + std::to_string(to.port()) + ": ";
}

// What one call of connect() needs for each address.
struct Dialing {
    PairKeys keys;
    HostId peer{};
    SecretKey pair;
    Executor executor;
    const TlsContext& context;
};

Task<Result<Connection>> dial_address(Dialing& dialing, const Address& address, std::uint16_t port,
                                      Duration time) {
    error_code error;
    const tcp::endpoint to(asio::ip::make_address(address.ip, error), port);
    if (error) {
        co_return Failure{FailureKind::invalid, "connect to a peer", "", address.ip + ": no numeric address"};
    }
    tcp::socket socket(dialing.executor);
    const auto connection = std::make_shared<TlsConnection>(std::move(socket), dialing.context);
    const std::string random = random_bytes(hello_random_size);
    connection->use_key(tls_key(dialing.pair, random));
    std::string hello = make_hello(dialing.pair, dialing.keys, dialing.peer, random);
    Result<Connection> result = co_await dial(connection, to, std::move(hello), time);
    if (!result) {
        Failure failure = result.error();
        failure.cause = where(to) + failure.cause;
        co_return failure;
    }
    co_return result;
}

// The time is shared evenly by the addresses that are left.
Task<Result<Connection>> dial_in_turn(Dialing& dialing, Endpoint at, Duration timeout) {
    Failure failure{FailureKind::unreachable, "connect to a peer", "", "the peer announced no address"};
    const auto end = std::chrono::steady_clock::now() + timeout;
    for (std::size_t i = 0; i < at.addresses.size(); ++i) {
        const auto left = static_cast<std::int64_t>(at.addresses.size() - i);
        const Duration share = (end - std::chrono::steady_clock::now()) / left;
        Result<Connection> connection = co_await dial_address(dialing, at.addresses[i], at.port, share);
        if (connection) co_return connection;
        failure = connection.error();
    }
    failure.host = dialing.keys.name_of(dialing.peer);
    co_return failure;
}

}  // namespace

TlsNetwork::TlsNetwork(Executor executor, std::shared_ptr<const SessionKey> key, StrangerReport on_stranger)
    : executor_(std::move(executor)), key_(std::move(key)), on_stranger_(std::move(on_stranger)) {}

const TlsContext& TlsNetwork::context() {
    if (!context_) context_ = make_tls_context();
    return context_;
}

Result<std::unique_ptr<Network::Listener>> TlsNetwork::listen(const PeerSession& session) {
    const Host* self = find_participant(session, session.self);
    if (self == nullptr) {
        return Failure{FailureKind::invalid, "listen for peers", "", "this host takes no part"};
    }
    Result<ListeningSockets> listening = listen_on(self->addresses);
    if (!listening) return listening.error();
    PairKeys keys(key_, session, purpose_of(session));
    return std::unique_ptr<Listener>(
        std::make_unique<TlsListener>(executor_, context(), std::move(keys), std::move(*listening),
                                      first_stranger(executor_, session.operation, on_stranger_)));
}

Task<Result<std::unique_ptr<ByteStream>>> TlsNetwork::connect(const PeerSession& session, HostId peer,
                                                              Endpoint at, Duration timeout) {
    PairKeys keys(key_, session, purpose_of(session));
    const Result<SecretKey> pair = keys.of(peer);
    if (!pair) co_return pair.error();
    const Host* self = find_participant(session, session.self);
    const std::vector<Address> own = self == nullptr ? std::vector<Address>() : self->addresses;
    at.addresses = dialing_order(own, at.addresses);
    Dialing dialing{std::move(keys), peer, *pair, executor_, context()};
    Result<Connection> connection = co_await dial_in_turn(dialing, std::move(at), timeout);
    if (!connection) co_return connection.error();
    co_return stream_over(std::move(*connection), session.plain);
}

}  // namespace trellis
