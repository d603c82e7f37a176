#include "agentd/os/tls_connection.hpp"

#include "agentd/os/wakeup.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/socket.h>
#include <utility>
#include <vector>

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
constexpr double least_gathered = 1 << 13;          // less in the gathering time is no flow
constexpr double idle_share = 0.25;                 // of the gathering time, though the next link falls idle
constexpr double gathered = 1 << 16;                // as much as a system sends at once
constexpr Duration least_gathering = std::chrono::milliseconds(1);

using Seconds = std::chrono::duration<double>;
constexpr Seconds turn_time{0.0015};  // until what has come is sent on

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
    use_secrets(ssl_.get(), secrets_);
    BIO* bio = BIO_new(pipe_method());
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &pipe_);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
}

Task<Result<void>> TlsConnection::handshake(Side side) {
    const bool client = side == Side::client;
    if (client)
        SSL_set_connect_state(ssl_.get());
    else
        SSL_set_accept_state(ssl_.get());
    while (true) {
        ERR_clear_error();
        const int result = SSL_do_handshake(ssl_.get());
        if (result == 1) break;
        const Result<void> waited = co_await wait_after(result);
        if (!waited) co_return waited;
    }
    if (!proven(ssl_.get())) co_return lost("the other end did not prove the key");
    ssl_.reset();
    sealer_.emplace(client ? secrets_.from_client : secrets_.from_server);
    opener_.emplace(client ? secrets_.from_server : secrets_.from_client);
    secrets_ = {};
    co_return co_await flush();
}

Task<Result<std::size_t>> TlsConnection::read(std::span<char> space) {
    std::size_t size = 0;
    while (size < space.size()) {
        const Result<std::optional<std::size_t>> opened = opener_->open(space.subspan(size));
        if (!opened) co_return opened.error();
        size += opened->value_or(0);
        if (*opened) continue;
        if (opener_->ended() || (drained_ && size > 0)) break;
        if (drained_) {
            const Result<void> waited = co_await wait_for_more();
            if (!waited) co_return waited.error();
        }
        if (received_ >= most_at_once) co_await give_way(received_);
        const Result<void> received = receive();
        if (!received && size == 0) co_return received.error();
    }
    co_return size;
}

Task<Result<void>> TlsConnection::write(std::span<const std::string_view> parts) {
    std::vector<std::string_view> left(parts.begin(), parts.end());
    while (true) {
        const std::string_view sealed = sealer_->seal(left);
        if (sealed.empty()) co_return Result<void>();
        sending_ = true;
        const Result<void> sent = co_await send(sealed);
        if (!sent) co_return sent;
        sending_ = false;
    }
}

// In the middle of a record there is no announcing an end.
Task<void> TlsConnection::farewell() {
    Result<void> sent = lost("closed");
    if (sealer_ && !sending_) sent = co_await send(sealer_->close_notify());
    std::array<char, 1> unread{};
    if (sent) (void)co_await read(unread);
    close();
}

Task<Result<void>> TlsConnection::wait_after(int result) {
    if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) {
        const Result<void> flushed = co_await flush();
        if (!flushed) co_return flushed;
        co_return co_await wait();
    }
    const Failure failure = pipe_.cause.empty() ? failed_call() : lost(pipe_.cause);
    (void)co_await flush();
    co_return failure;
}

Task<Result<void>> TlsConnection::flush() {
    const std::string bytes = std::exchange(pipe_.out, {});
    co_return co_await send(bytes);
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

// What is there; nothing is no Failure.
Result<void> TlsConnection::receive() {
    const std::span<char> space = opener_->space();
    const ssize_t got = ::recv(socket_.native_handle(), space.data(), space.size(), MSG_DONTWAIT);
    drained_ = got < static_cast<ssize_t>(space.size());
    if (got > 0) {
        opener_->received(static_cast<std::size_t>(got));
        received_ += static_cast<std::size_t>(got);
        if (gathering_.most > Duration::zero())
            window_.received(socket_.native_handle(), static_cast<std::size_t>(got));
    }
    if (got == 0) return lost("the connection was cut off");
    if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        return lost(std::strerror(errno));
    return {};
}

// There is nothing in the socket now. On fast links it costs little to wait, on others the next one may fall
// idle.
Task<Result<void>> TlsConnection::wait_for_more() {
    const auto now = std::chrono::steady_clock::now();
    const Seconds taken = now - std::exchange(empty_, now);
    const auto received = static_cast<double>(std::exchange(received_, 0));
    const Seconds most = gathering_.most;
    if (received * most < least_gathered * taken) co_return co_await wait();
    const Seconds enough = std::max<Seconds>(least_gathering, taken * (gathered / received));
    Seconds time = std::min(enough, most);
    if (const auto ahead = gathering_.ahead ? gathering_.ahead() : std::nullopt) {
        const Seconds busy = taken * (static_cast<double>(*ahead) / received) - turn_time;
        time = std::min(time, std::max(busy, most * idle_share));
    }
    co_return co_await sleep(std::chrono::duration_cast<Duration>(time));
}

Task<Result<void>> TlsConnection::wait() {
    wake_at(1);
    const auto [error] = co_await socket_.async_wait(tcp::socket::wait_read, as_result);
    if (error) co_return lost(error.message());
    co_return Result<void>();
}

// Nor does the system wake this process for what comes meanwhile.
Task<Result<void>> TlsConnection::sleep(Duration time) {
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
    gathering_ = {};
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
