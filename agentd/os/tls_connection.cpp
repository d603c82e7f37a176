#include "agentd/os/tls_connection.hpp"

#include "agentd/os/wakeup.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <climits>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace trellis {

using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 18;
constexpr std::size_t turn = std::size_t{1} << 20;  // of what is sent
constexpr double least_gathered = 1 << 13;          // less is no flow
constexpr double gathered = 1 << 16;                // as much as a system sends at once
constexpr Duration least_gathering = std::chrono::milliseconds(1);

using Seconds = std::chrono::duration<double>;

Failure lost(std::string cause) {
    return {FailureKind::lost, "", "", std::move(cause)};
}

Failure failed_call() {
    const char* text = ERR_reason_error_string(ERR_peek_last_error());
    return lost(text == nullptr ? "the connection is broken" : text);
}

int size_of(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

TlsConnection::Pipe& pipe_of(BIO* bio) {
    return *static_cast<TlsConnection::Pipe*>(BIO_get_data(bio));
}

const BIO_METHOD* pipe_method() {
    const auto read = [](BIO* bio, char* bytes, std::size_t size, std::size_t* taken) {
        TlsConnection::Pipe& pipe = pipe_of(bio);
        const ssize_t got = ::recv(pipe.socket.native_handle(), bytes, size, MSG_DONTWAIT);
        const int error = errno;
        BIO_clear_retry_flags(bio);
        *taken = got > 0 ? static_cast<std::size_t>(got) : 0;
        pipe.received += *taken;
        if (got > 0) return 1;
        if (got < 0 && (error == EAGAIN || error == EWOULDBLOCK || error == EINTR))
            BIO_set_retry_read(bio);
        else
            pipe.cause = got == 0 ? "the connection was cut off" : std::strerror(error);
        return 0;
    };
    const auto write = [](BIO* bio, const char* bytes, std::size_t size, std::size_t* written) {
        pipe_of(bio).out.append(bytes, size);
        *written = size;
        return 1;
    };
    const auto control = [](BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1L : 0L; };
    static const BIO_METHOD* const method = [&] {
        BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pipe");
        if (made == nullptr) throw std::bad_alloc();
        BIO_meth_set_read_ex(made, read);
        BIO_meth_set_write_ex(made, write);
        BIO_meth_set_ctrl(made, control);
        return made;
    }();
    return method;
}

}  // namespace

void TlsConnection::Free::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

TlsConnection::TlsConnection(asio::ip::tcp::socket socket, const TlsContext& context)
    : socket_(std::move(socket)), timer_(socket_.get_executor()), ssl_(SSL_new(context.get())) {
    if (!ssl_) throw std::bad_alloc();
    use_key(ssl_.get(), key);
    BIO* bio = BIO_new(pipe_method());
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &pipe_);
    BIO_set_init(bio, 1);
    SSL_set_default_read_buffer_len(ssl_.get(), most_at_once);
    SSL_set_bio(ssl_.get(), bio, bio);
}

Task<Result<void>> TlsConnection::handshake(Side side) {
    if (side == Side::client)
        SSL_set_connect_state(ssl_.get());
    else
        SSL_set_accept_state(ssl_.get());
    while (true) {
        ERR_clear_error();
        const int result = SSL_do_handshake(ssl_.get());
        if (result == 1 && !proven(ssl_.get())) co_return lost("the other end did not prove the key");
        if (result == 1) co_return co_await flush();
        const Result<void> waited = co_await wait_after(result);
        if (!waited) co_return waited;
    }
}

Task<Result<std::size_t>> TlsConnection::read(std::span<char> space) {
    std::size_t size = 0;
    SSL_set_read_ahead(ssl_.get(), 1);  // no more than the handshake has been taken from the socket so far
    while (size == 0) {
        if (drained_) {
            const Result<void> waited = co_await wait();
            if (!waited) co_return waited.error();
        }
        int got = 1;
        while (got > 0 && size < space.size()) {
            if (pipe_.received >= most_at_once) co_await give_way(pipe_.received);
            ERR_clear_error();
            got = SSL_read(ssl_.get(), space.data() + size, size_of(space.size() - size));
            if (got > 0) size += static_cast<std::size_t>(got);
        }
        const int error = got > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), got);
        drained_ = error == SSL_ERROR_WANT_READ;
        if (error == SSL_ERROR_NONE || drained_ || size > 0) continue;
        if (error == SSL_ERROR_ZERO_RETURN) break;
        const Result<void> failed = co_await wait_after(got);
        co_return failed.error();
    }
    co_return size;
}

Task<Result<void>> TlsConnection::write(std::span<const std::string_view> parts) {
    for (std::string_view bytes : parts) {
        while (!bytes.empty()) {
            ERR_clear_error();
            const int put = SSL_write(ssl_.get(), bytes.data(), size_of(bytes.size()));
            if (put <= 0) co_return failed_call();
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
    }
    co_return co_await flush();
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
    if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) co_return co_await wait();
    const Failure failure = pipe_.cause.empty() ? failed_call() : lost(pipe_.cause);
    (void)co_await flush();
    co_return failure;
}

Task<Result<void>> TlsConnection::wait() {
    const Result<void> flushed = co_await flush();
    if (!flushed) co_return flushed;
    co_return co_await receive();
}

// For one coroutine at a time: what another one has to say meanwhile goes with it.
Task<Result<void>> TlsConnection::flush() {
    Result<void> sent;
    while (!flushing_ && !pipe_.out.empty() && sent) {
        sending_.clear();
        sending_.swap(pipe_.out);
        flushing_ = true;
        sent = co_await send(sending_);
        flushing_ = false;
    }
    co_return sent;
}

Task<Result<void>> TlsConnection::send(std::string_view bytes) {
    sent_ += bytes.size();
    if (sent_ >= turn) co_await give_way(sent_);
    while (!bytes.empty()) {
        const ssize_t sent =
            ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
        if (sent >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) co_return lost(std::strerror(errno));
        const auto [error] = co_await socket_.async_wait(tcp::socket::wait_write, as_result);
        if (error) co_return lost(error.message());
    }
    co_return Result<void>();
}

// Where ever more is to be done, others have their turn all the same.
Task<void> TlsConnection::give_way(std::size_t& done) {
    done = 0;
    co_await asio::post(socket_.get_executor(), asio::use_awaitable);
}

// There is nothing in the socket now.
Task<Result<void>> TlsConnection::receive() {
    const auto now = std::chrono::steady_clock::now();
    const Seconds taken = now - std::exchange(empty_, now);
    const auto received = static_cast<double>(std::exchange(pipe_.received, 0));
    if (gathering_ > Duration::zero() && received >= least_gathered) {
        const Seconds time = std::max<Seconds>(least_gathering, taken * (gathered / received));
        co_return co_await gather(std::chrono::duration_cast<Duration>(std::min<Seconds>(time, gathering_)));
    }
    wake_at(1);
    const auto [error] = co_await socket_.async_wait(tcp::socket::wait_read, as_result);
    if (error) co_return lost(error.message());
    co_return Result<void>();
}

// Nor does the system wake this process for what comes meanwhile.
Task<Result<void>> TlsConnection::gather(Duration time) {
    const unsigned before = cancels_;
    wake_at(most_at_once);
    timer_.expires_after(time);
    co_await timer_.async_wait(as_result);
    if (before != cancels_) co_return lost("closed");
    co_return Result<void>();
}

// Only a change has its price; less than the socket holds wakes at once.
void TlsConnection::wake_at(std::size_t size) {
    const int before = std::exchange(wakes_at_, size_of(size));
    if (before == wakes_at_) return;
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &wakes_at_, sizeof wakes_at_);
}

void TlsConnection::cancel() {
    ++cancels_;
    gathering_ = Duration::zero();
    timer_.cancel();
    error_code ignored;
    socket_.cancel(ignored);
}

void TlsConnection::close() {
    cancel();
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
