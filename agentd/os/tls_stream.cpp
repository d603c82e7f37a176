#include "agentd/os/tls_stream.hpp"

#include <array>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

// Outlives the stream while something waits on the connection.
struct TlsStream::State {
    std::shared_ptr<TlsConnection> connection;
    bool closed = false;
    std::array<char, 65536> input{};

    [[nodiscard]] Failure broken(const char* operation, const Failure& failure) const {
        if (closed) return {FailureKind::cancelled, operation, "", "closed"};
        return {failure.kind, operation, "", failure.cause};
    }
};

namespace {

constexpr std::chrono::seconds farewell_time{1};
const Failure is_closed{FailureKind::cancelled, "", "", "closed"};

Task<void> say_farewell(std::shared_ptr<TlsConnection> connection) {
    const Deadline deadline(connection, farewell_time);
    co_await connection->farewell();
}

}  // namespace

TlsStream::TlsStream(std::shared_ptr<TlsConnection> connection) : state_(std::make_shared<State>()) {
    state_->connection = std::move(connection);
}

TlsStream::~TlsStream() {
    close();
}

Task<Result<std::string>> TlsStream::read() {
    const auto state = state_;
    if (state->closed) co_return state->broken("read from a peer", is_closed);
    const Result<std::size_t> size = co_await state->connection->read(state->input);
    if (!size) co_return state->broken("read from a peer", size.error());
    co_return std::string(state->input.data(), *size);
}

Task<Result<void>> TlsStream::write(std::string bytes) {
    const auto state = state_;
    if (state->closed) co_return state->broken("write to a peer", is_closed);
    const Result<void> written = co_await state->connection->write(bytes);
    if (!written) co_return state->broken("write to a peer", written.error());
    co_return written;
}

void TlsStream::cut() {
    state_->closed = true;
    state_->connection->close();
}

void TlsStream::close() {
    if (std::exchange(state_->closed, true)) return;
    boost::system::error_code ignored;
    asio::ip::tcp::socket& socket = state_->connection->socket();
    socket.cancel(ignored);
    if (socket.is_open())
        asio::co_spawn(socket.get_executor(), say_farewell(state_->connection), asio::detached);
}

}  // namespace trellis
