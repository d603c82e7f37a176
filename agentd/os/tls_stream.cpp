#include "agentd/os/tls_stream.hpp"

#include "agentd/os/delivery_count.hpp"
#include "agentd/os/link_pace.hpp"
#include "agentd/os/plain_stream.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

namespace {

constexpr std::size_t least_read = std::size_t{1} << 14;
constexpr std::size_t most_read = std::size_t{1} << 18;

}  // namespace

// Outlives the stream while something waits on the connection.
struct TlsStream::State {
    std::shared_ptr<TlsConnection> connection;
    bool closed = false;
    std::size_t space = least_read;
    LinkPace pace;

    [[nodiscard]] int number() const { return connection->socket().native_handle(); }

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
    std::string bytes(state->space, '\0');
    const Result<std::size_t> size = co_await read_into(bytes);
    if (!size) co_return size.error();
    bytes.resize(*size);
    state->space = std::clamp(2 * *size, least_read, most_read);
    co_return bytes;
}

Task<Result<std::size_t>> TlsStream::read_into(std::span<char> space) {
    const auto state = state_;
    if (state->closed) co_return state->broken("read from a peer", is_closed);
    const Result<std::size_t> size = co_await state->connection->read(space);
    if (!size) co_return state->broken("read from a peer", size.error());
    co_return size;
}

Task<Result<void>> TlsStream::write(std::string bytes) {
    const std::string_view whole = bytes;
    co_return co_await write_parts({&whole, 1});
}

Task<Result<void>> TlsStream::write_parts(std::span<const std::string_view> parts) {
    const auto state = state_;
    if (state->closed) co_return state->broken("write to a peer", is_closed);
    state->pace.look(state->number());
    const Result<void> written = co_await state->connection->write(parts);
    if (!written) co_return state->broken("write to a peer", written.error());
    co_return written;
}

void TlsStream::gather(const Gathering& gathering) {
    state_->connection->gather(gathering);
}

void TlsStream::keep_below_link(double bits_per_second) {
    state_->pace.keep_below(state_->number(), bits_per_second);
}

// With a reset: the system sends nothing more of what it has taken.
void TlsStream::abort() {
    state_->closed = true;
    boost::system::error_code ignored;
    state_->connection->socket().set_option(asio::socket_base::linger(true, 0), ignored);
    state_->connection->close();
}

std::optional<std::uint64_t> TlsStream::delivered() const {
    return delivered_bytes(state_->number());
}

std::optional<std::uint64_t> TlsStream::undelivered() const {
    return undelivered_bytes(state_->number());
}

void TlsStream::close() {
    if (std::exchange(state_->closed, true)) return;
    state_->connection->cancel();
    asio::ip::tcp::socket& socket = state_->connection->socket();
    if (socket.is_open())
        asio::co_spawn(socket.get_executor(), say_farewell(state_->connection), asio::detached);
}

std::unique_ptr<ByteStream> stream_over(std::shared_ptr<TlsConnection> connection, bool plain) {
    if (!plain) return std::make_unique<TlsStream>(std::move(connection));
    return std::make_unique<PlainStream>(connection->leave());
}

}  // namespace trellis
