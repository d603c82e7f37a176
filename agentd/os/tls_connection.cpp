#include "agentd/os/tls_connection.hpp"

#include "agentd/os/wakeup.hpp"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <climits>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace trellis {

using boost::system::error_code;

namespace {

constexpr std::size_t least_space = std::size_t{1} << 14;
constexpr std::size_t most_space = std::size_t{1} << 18;
constexpr std::size_t least_gathered = std::size_t{1} << 13;  // at once: less is no flow

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
        *taken = pipe.in.copy(bytes, std::min(size, pipe.end - pipe.begin), pipe.begin);
        pipe.begin += *taken;
        BIO_clear_retry_flags(bio);
        if (*taken == 0) BIO_set_retry_read(bio);
        return *taken > 0 ? 1 : 0;
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
    while (true) {
        ERR_clear_error();
        const int got = SSL_read(ssl_.get(), space.data() + size, size_of(space.size() - size));
        if (got > 0) size += static_cast<std::size_t>(got);
        const bool more = got > 0 && size < space.size();
        if (more) continue;
        if (size > 0) co_return size;
        if (SSL_get_error(ssl_.get(), got) == SSL_ERROR_ZERO_RETURN) co_return std::size_t{0};
        const Result<void> waited = co_await wait_after(got);
        if (!waited) co_return waited.error();
    }
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
    const int error = SSL_get_error(ssl_.get(), result);
    const bool needs_more = error == SSL_ERROR_WANT_READ;
    const Failure failure = needs_more ? Failure() : failed_call();
    const Result<void> flushed = co_await flush();
    if (!needs_more) co_return failure;
    if (!flushed) co_return flushed;
    co_return co_await receive();
}

// For one coroutine at a time: what another one has to say meanwhile goes with it.
Task<Result<void>> TlsConnection::flush() {
    error_code error;
    while (!flushing_ && !pipe_.out.empty() && !error) {
        sending_.clear();
        sending_.swap(pipe_.out);
        const auto content = asio::buffer(sending_);
        std::size_t size = 0;
        flushing_ = true;
        std::tie(error, size) = co_await asio::async_write(socket_, content, as_result);
        flushing_ = false;
    }
    if (error) co_return lost(error.message());
    co_return Result<void>();
}

// Where the last turn has left nothing in the socket.
Task<Result<void>> TlsConnection::gather() {
    if (gathering_ == Duration::zero() || received_ < least_gathered || received_ == pipe_.in.size())
        co_return Result<void>();
    const unsigned before = cancels_;
    timer_.expires_after(gathering_);
    co_await timer_.async_wait(as_result);
    if (before != cancels_) co_return lost("closed");
    co_return Result<void>();
}

Task<Result<void>> TlsConnection::receive() {
    const Result<void> gathered = co_await gather();
    if (!gathered) co_return gathered;
    if (pipe_.in.size() < 2 * received_ || pipe_.in.empty())
        pipe_.in.resize(std::clamp(2 * received_, least_space, most_space));
    const auto space = asio::buffer(pipe_.in);
    const auto [error, size] = co_await socket_.async_read_some(space, as_result);
    received_ = size;
    pipe_.begin = 0;
    pipe_.end = size;
    if (error == asio::error::eof) co_return lost("the connection was cut off");
    if (error) co_return lost(error.message());
    co_return Result<void>();
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

// OpenSSL takes no more from the pipe than the records that it needs: what is there is none of it.
TlsConnection::Left TlsConnection::leave() {
    return {std::move(socket_), pipe_.in.substr(pipe_.begin, pipe_.end - pipe_.begin)};
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
