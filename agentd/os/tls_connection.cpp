#include "agentd/os/tls_connection.hpp"

#include "agentd/os/wakeup.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <climits>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace trellis {

using boost::system::error_code;

namespace {

Failure lost(std::string cause) {
    return {FailureKind::lost, "", "", std::move(cause)};
}

Failure failed_call(int error, int system_error) {
    const unsigned long reason = ERR_peek_last_error();
    ERR_clear_error();
    if (ERR_GET_REASON(reason) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        return lost("the connection was cut off");
    if (error == SSL_ERROR_SYSCALL) return lost(std::strerror(system_error));
    const char* text = ERR_reason_error_string(reason);
    return lost(text == nullptr ? "the connection is broken" : text);
}

int size_of(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

}  // namespace

void TlsConnection::Free::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

TlsConnection::TlsConnection(asio::ip::tcp::socket socket, const TlsContext& context)
    : socket_(std::move(socket)), ssl_(SSL_new(context.get())) {
    if (!ssl_) throw std::bad_alloc();
    use_key(ssl_.get(), key);
}

Task<Result<void>> TlsConnection::handshake(Side side) {
    error_code error;
    socket_.native_non_blocking(true, error);
    if (error || SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1) co_return lost("closed");
    if (side == Side::client)
        SSL_set_connect_state(ssl_.get());
    else
        SSL_set_accept_state(ssl_.get());
    while (true) {
        ERR_clear_error();
        const int result = SSL_do_handshake(ssl_.get());
        if (result == 1 && proven(ssl_.get())) co_return Result<void>();
        if (result == 1) co_return lost("the other end did not prove the key");
        const Result<void> waited = co_await wait_after(result);
        if (!waited) co_return waited;
    }
}

Task<Result<std::size_t>> TlsConnection::read(std::span<char> space) {
    std::size_t size = 0;
    while (true) {
        ERR_clear_error();
        const int got =
            socket_.is_open() ? SSL_read(ssl_.get(), space.data() + size, size_of(space.size() - size)) : -1;
        if (got > 0) size += static_cast<std::size_t>(got);
        if (size == space.size() || (size > 0 && (got <= 0 || SSL_has_pending(ssl_.get()) == 0)))
            co_return size;
        if (got > 0) continue;
        if (SSL_get_error(ssl_.get(), got) == SSL_ERROR_ZERO_RETURN) co_return std::size_t{0};
        const Result<void> waited = co_await wait_after(got);
        if (!waited) co_return waited.error();
    }
}

Task<Result<void>> TlsConnection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        ERR_clear_error();
        const int put = socket_.is_open() ? SSL_write(ssl_.get(), bytes.data(), size_of(bytes.size())) : -1;
        if (put > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(put));
            continue;
        }
        const Result<void> waited = co_await wait_after(put);
        if (!waited) co_return waited;
    }
    co_return Result<void>();
}

Task<void> TlsConnection::farewell() {
    while (socket_.is_open()) {
        ERR_clear_error();
        const int result = SSL_shutdown(ssl_.get());
        if (result == 1) break;
        if (result == 0) continue;
        const Result<void> waited = co_await wait_after(result);
        if (!waited) break;
    }
    close();
}

Task<Result<void>> TlsConnection::wait_after(int result) {
    const int system_error = errno;
    if (!socket_.is_open()) co_return lost("closed");
    const int error = SSL_get_error(ssl_.get(), result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
        co_return failed_call(error, system_error);
    const auto what =
        error == SSL_ERROR_WANT_READ ? asio::socket_base::wait_read : asio::socket_base::wait_write;
    const auto [stopped] = co_await socket_.async_wait(what, as_result);
    if (stopped) co_return lost(stopped.message());
    co_return Result<void>();
}

void TlsConnection::close() {
    error_code ignored;
    socket_.close(ignored);
}

Deadline::Deadline(const std::shared_ptr<TlsConnection>& connection, Duration time)
    : timer_(connection->socket().get_executor(), time) {
    timer_.async_wait([connection, passed = passed_](const error_code& error) {
        if (error) return;
        *passed = true;
        connection->close();
    });
}

}  // namespace trellis
