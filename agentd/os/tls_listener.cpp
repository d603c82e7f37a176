#include "agentd/os/tls_listener.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/core/pair_hello.hpp"
#include "agentd/os/stranger_report.hpp"
#include "agentd/os/tls_session.hpp"
#include "agentd/os/tls_stream.hpp"
#include "agentd/os/wakeup.hpp"

#include <array>
#include <deque>
#include <list>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>

namespace trellis {

using asio::ip::tcp;
using boost::system::error_code;

namespace {

using Connection = std::shared_ptr<TlsConnection>;

constexpr std::chrono::seconds handshake_time{5};  // after the hello
constexpr std::size_t max_waiting = 1024;          // proven, but not accepted yet

}  // namespace

struct TlsListener::State : std::enable_shared_from_this<State> {
    State(const Executor& where, const TlsContext& tls, PairKeys pair_keys, Endpoint at,
          std::function<void(std::string)> report)
        : executor(where),
          context(tls),
          keys(std::move(pair_keys)),
          gate(keys),
          endpoint(std::move(at)),
          on_stranger(std::move(report)),
          arrived(where) {}

    Task<void> take_from(std::size_t door);
    Task<void> take_in(Connection connection);
    Task<std::optional<HelloGate::Greeted>> greet(Connection connection);
    Task<bool> prove(Connection connection, HelloGate::Greeted greeted);
    void admit(tcp::socket socket);
    void close();

    Executor executor;
    const TlsContext& context;
    PairKeys keys;
    HelloGate gate;
    Endpoint endpoint;
    std::function<void(std::string)> on_stranger;
    std::vector<tcp::acceptor> doors;
    std::list<Connection> unproven;  // oldest first
    std::deque<Network::Incoming> waiting;
    Signal arrived;
    bool closed = false;
};

Task<void> TlsListener::State::take_from(std::size_t door) {
    const auto self = shared_from_this();
    while (!closed) {
        auto [error, socket] = co_await doors[door].async_accept(as_result);
        if (closed) co_return;
        if (!error) {
            admit(std::move(socket));
        } else if (error != asio::error::connection_aborted) {  // no descriptors left: whoever waits does so
            asio::steady_timer pause(executor, std::chrono::milliseconds(100));
            co_await pause.async_wait(as_result);
        }
    }
}

void TlsListener::State::admit(tcp::socket socket) {
    if (unproven.size() >= max_unproven) unproven.front()->close();
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<TlsConnection>(std::move(socket), context);
    unproven.push_back(connection);
    asio::co_spawn(executor, take_in(connection), asio::detached);
}

Task<void> TlsListener::State::take_in(Connection connection) {
    const auto self = shared_from_this();
    error_code error;
    const std::string from = connection->socket().remote_endpoint(error).address().to_string();
    const auto greeted = co_await greet(connection);
    const bool proven = greeted && co_await prove(connection, *greeted);
    unproven.remove(connection);
    if (proven && !closed && waiting.size() < max_waiting) {
        waiting.push_back({greeted->peer, stream_over(connection, keys.session().plain)});
        arrived.notify();
        co_return;
    }
    connection->close();
    // A participant that has greeted may end before the handshake does.
    if (!greeted && !closed) on_stranger(from);
}

// Who it is, by the hello within the time for it.
Task<std::optional<HelloGate::Greeted>> TlsListener::State::greet(Connection connection) {
    std::array<char, hello_size> hello{};
    error_code error;
    std::size_t size = 0;
    {
        const Deadline deadline(connection, proof_time);
        const auto space = asio::buffer(hello);
        std::tie(error, size) = co_await asio::async_read(connection->socket(), space, as_result);
    }
    if (error || closed) co_return std::nullopt;
    co_return gate.check({hello.data(), hello.size()});
}

Task<bool> TlsListener::State::prove(Connection connection, HelloGate::Greeted greeted) {
    connection->use_key(tls_key(greeted.key, greeted.random));
    const Deadline deadline(connection, handshake_time);
    const Result<void> proved = co_await connection->handshake(TlsConnection::Side::server);
    co_return proved.has_value();
}

void TlsListener::State::close() {
    closed = true;
    error_code ignored;
    for (tcp::acceptor& door : doors)
        door.close(ignored);
    for (const Connection& connection : unproven)
        connection->close();
    waiting.clear();
    arrived.notify();
}

TlsListener::TlsListener(const Executor& executor, const TlsContext& context, PairKeys keys,
                         ListeningSockets listening, std::function<void(std::string)> on_stranger)
    : state_(std::make_shared<State>(executor, context, std::move(keys), listening.endpoint,
                                     std::move(on_stranger))) {
    for (FileDescriptor& socket : listening.sockets) {
        const std::string& ip = listening.endpoint.addresses[state_->doors.size()].ip;
        const bool v6 = ip.find(':') != std::string::npos;
        state_->doors.emplace_back(executor, v6 ? tcp::v6() : tcp::v4(), socket.release());
    }
    for (std::size_t i = 0; i < state_->doors.size(); ++i) {
        asio::co_spawn(executor, state_->take_from(i), asio::detached);
    }
}

TlsListener::~TlsListener() {
    close();
}

Endpoint TlsListener::endpoint() const {
    return state_->endpoint;
}

Task<Result<Network::Incoming>> TlsListener::accept() {
    const auto state = state_;
    while (state->waiting.empty() && !state->closed)
        co_await state->arrived.wait();
    if (state->closed) co_return Failure{FailureKind::cancelled, "listen for peers", "", "closed"};
    Network::Incoming next = std::move(state->waiting.front());
    state->waiting.pop_front();
    co_return std::move(next);
}

void TlsListener::close() {
    if (!state_->closed) state_->close();
}

}  // namespace trellis
