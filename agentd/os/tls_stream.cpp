#include "agentd/os/tls_stream.hpp"

#include "agentd/os/tls_session.hpp"
#include "agentd/os/wakeup.hpp"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>

namespace trellis {

using boost::system::error_code;

struct TlsStream::Input {
    std::array<char, 65536> buffer{};
};

namespace {

constexpr std::chrono::seconds farewell_time{1};

Failure broken(const TlsConnection& connection, const char* operation, const error_code& error) {
    if (connection.closed) return {FailureKind::cancelled, operation, "", "closed"};
    const bool cut = error == asio::ssl::error::stream_truncated;
    return {FailureKind::lost, operation, "", cut ? "the connection was cut off" : error.message()};
}

}  // namespace

TlsConnection::TlsConnection(asio::ip::tcp::socket socket, asio::ssl::context& context)
    : tls(std::move(socket), context) {
    use_key(tls.native_handle(), key);
}

void TlsConnection::close() {
    error_code ignored;
    socket().close(ignored);
}

Deadline::Deadline(const std::shared_ptr<TlsConnection>& connection, Duration time)
    : timer_(connection->socket().get_executor(), time) {
    timer_.async_wait([connection, passed = passed_](const error_code& error) {
        if (error) return;
        *passed = true;
        connection->close();
    });
}

TlsStream::TlsStream(std::shared_ptr<TlsConnection> connection)
    : connection_(std::move(connection)), input_(std::make_shared<Input>()) {}

TlsStream::~TlsStream() {
    close();
}

Task<Result<std::string>> TlsStream::read() {
    const auto connection = connection_;
    const auto input = input_;
    error_code error = asio::error::operation_aborted;
    std::size_t size = 0;
    if (!connection->closed) {
        const auto space = asio::buffer(input->buffer);
        std::tie(error, size) = co_await connection->tls.async_read_some(space, as_result);
    }
    if (error == asio::error::eof) co_return std::string();
    if (error) co_return broken(*connection, "read from a peer", error);
    co_return std::string(input->buffer.data(), size);
}

Task<Result<void>> TlsStream::write(std::string bytes) {
    const auto connection = connection_;
    error_code error = asio::error::operation_aborted;
    std::size_t size = 0;
    if (!connection->closed) {
        const auto content = asio::buffer(bytes);
        std::tie(error, size) = co_await asio::async_write(connection->tls, content, as_result);
    }
    if (error) co_return broken(*connection, "write to a peer", error);
    co_return Result<void>();
}

void TlsStream::cut() {
    connection_->closed = true;
    connection_->close();
}

void TlsStream::close() {
    if (std::exchange(connection_->closed, true)) return;
    error_code ignored;
    connection_->socket().cancel(ignored);
    const auto deadline = std::make_shared<Deadline>(connection_, farewell_time);
    const auto ended = [connection = connection_, deadline](const error_code&) { connection->close(); };
    connection_->tls.async_shutdown(ended);
}

}  // namespace trellis
