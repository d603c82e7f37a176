#include "agentd/os/plain_stream.hpp"

#include "agentd/os/delivery_count.hpp"
#include "agentd/os/file_descriptor.hpp"
#include "agentd/os/link_pace.hpp"
#include "agentd/os/pipe_haul.hpp"
#include "agentd/os/wakeup.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>

namespace trellis {

using asio::ip::tcp;
using boost::system::error_code;
using SteadyTime = std::chrono::steady_clock::time_point;

namespace {

constexpr std::size_t read_size = std::size_t{1} << 16;
constexpr int pipe_size = 1 << 20;
constexpr double turn_share = 0.3;  // of what comes in the gathering time, until what has come is sent on
constexpr double idle_share = 0.5;  // is waited for though the next link falls idle
constexpr std::size_t most_gathered = std::size_t{1} << 18;
constexpr std::size_t fast = 4;  // more is gathered if it comes in so small a part of the gathering time
constexpr std::size_t most_worth = std::size_t{1} << 21;
constexpr std::chrono::seconds farewell_time{1};

Failure system_failure(const char* operation, int error) {
    return {FailureKind::lost, operation, "", std::strerror(error)};
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

}  // namespace

// Outlives the stream while something waits on the socket, or a haul is under way.
struct PlainStream::State {
    explicit State(tcp::socket connected) : socket(std::move(connected)) {}

    [[nodiscard]] int number() { return socket.native_handle(); }
    [[nodiscard]] Failure broken(const char* operation, const std::string& cause) const {
        if (closed) return {FailureKind::cancelled, operation, "", "closed"};
        return {FailureKind::lost, operation, "", cause};
    }
    Task<Result<void>> ready(tcp::socket::wait_type what);
    Task<Result<void>> gather(std::size_t size);
    void wake_at(std::size_t size);
    void note(std::size_t size);
    Task<Result<void>> send_head(std::string_view head);
    static Task<void> farewell(std::shared_ptr<State> state);

    tcp::socket socket;
    DescriptorPair pipe;  // not while a haul has it
    Gathering gathering;
    std::size_t worth = 1;  // bytes: what came in the gathering time, of late
    int wakes_at = 1;
    SteadyTime pulled = std::chrono::steady_clock::now();
    LinkPace pace;
    bool closed = false;
};

Task<Result<void>> PlainStream::State::ready(tcp::socket::wait_type what) {
    const auto [error] = co_await socket.async_wait(what, as_result);
    if (error || closed) co_return broken("wait for a peer", error.message());
    co_return Result<void>();
}

// A part of this size is waited for as a whole, or until more is there than comes in the gathering time.
Task<Result<void>> PlainStream::State::gather(std::size_t size) {
    std::size_t enough = std::min(size <= 2 * worth ? size : worth, std::max(most_gathered, worth / fast));
    if (const auto ahead = worth < most_gathered && gathering.ahead ? gathering.ahead() : std::nullopt) {
        const double idle_after = static_cast<double>(*ahead) - turn_share * static_cast<double>(worth);
        const double least = idle_share * static_cast<double>(worth);
        enough = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(idle_after, least)), 1, enough);
    }
    int there = 0;
    if (::ioctl(number(), FIONREAD, &there) == 0 && static_cast<std::size_t>(there) >= enough)
        co_return Result<void>();
    wake_at(enough);
    co_return co_await ready(tcp::socket::wait_read);
}

// Only a change has its price; less than the socket holds wakes at once. Nor does the system wake this
// process for less while what came before is on its way to the file.
void PlainStream::State::wake_at(std::size_t size) {
    const int before = std::exchange(wakes_at, static_cast<int>(size));
    if (before == wakes_at) return;
    ::setsockopt(number(), SOL_SOCKET, SO_RCVLOWAT, &wakes_at, sizeof wakes_at);
}

void PlainStream::State::note(std::size_t size) {
    const SteadyTime now = std::chrono::steady_clock::now();
    const auto taken = std::max(now - std::exchange(pulled, now), std::chrono::nanoseconds(1000));
    const double share = std::chrono::duration<double>(gathering.most) / taken;
    worth =
        std::clamp<std::size_t>(static_cast<std::size_t>(static_cast<double>(size) * share), 1, most_worth);
}

// Leaves together with what follows.
Task<Result<void>> PlainStream::State::send_head(std::string_view head) {
    while (!head.empty()) {
        const ssize_t sent =
            ::send(number(), head.data(), head.size(), MSG_MORE | MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) head.remove_prefix(static_cast<std::size_t>(sent));
        if (sent >= 0 || errno == EINTR) continue;
        if (!would_block()) co_return system_failure("write to a peer", errno);
        const Result<void> waited = co_await ready(tcp::socket::wait_write);
        if (!waited) co_return waited;
    }
    co_return Result<void>();
}

Task<void> PlainStream::State::farewell(std::shared_ptr<State> state) {
    error_code error;
    asio::steady_timer timer(state->socket.get_executor(), farewell_time);
    timer.async_wait([state](const error_code& cancelled) {
        error_code ignored;
        if (!cancelled) state->socket.close(ignored);
    });
    state->socket.shutdown(tcp::socket::shutdown_send, error);
    std::array<char, 4096> unread{};
    const auto space = asio::buffer(unread);
    std::size_t size = 0;
    while (!error)
        std::tie(error, size) = co_await state->socket.async_read_some(space, as_result);
    state->socket.close(error);
}

PlainStream::PlainStream(tcp::socket socket) : state_(std::make_shared<State>(std::move(socket))) {
    ::signal(SIGPIPE, SIG_IGN);  // sendfile() has no flag against it
    error_code ignored;
    state_->socket.native_non_blocking(true, ignored);
}

PlainStream::~PlainStream() {
    close();
}

Task<Result<std::string>> PlainStream::read() {
    std::string bytes(read_size, '\0');
    const Result<std::size_t> size = co_await read_into(bytes);
    if (!size) co_return size.error();
    bytes.resize(*size);
    co_return bytes;
}

Task<Result<std::size_t>> PlainStream::read_into(std::span<char> space) {
    const auto state = state_;
    if (state->closed) co_return state->broken("read from a peer", "");
    state->wake_at(1);
    const auto place = asio::buffer(space.data(), space.size());
    const auto [error, size] = co_await state->socket.async_read_some(place, as_result);
    if (error == asio::error::eof && !state->closed) co_return std::size_t{0};
    if (error) co_return state->broken("read from a peer", error.message());
    co_return size;
}

Task<Result<void>> PlainStream::write(std::string bytes) {
    const std::string_view whole = bytes;
    co_return co_await write_parts({&whole, 1});
}

Task<Result<void>> PlainStream::write_parts(std::span<const std::string_view> parts) {
    const auto state = state_;
    if (state->closed) co_return state->broken("write to a peer", "");
    state->pace.look(state->number());
    std::vector<asio::const_buffer> contents;
    for (const std::string_view part : parts)
        contents.emplace_back(part.data(), part.size());
    const auto [error, size] = co_await asio::async_write(state->socket, contents, as_result);
    if (error) co_return state->broken("write to a peer", error.message());
    co_return Result<void>();
}

Task<Result<std::unique_ptr<Haul>>> PlainStream::pull(std::size_t size) {
    const auto state = state_;
    if (!state->pipe.first.open()) {
        state->pipe = make_pipe();
        if (state->pipe.first.open()) ::fcntl(state->pipe.second.get(), F_SETPIPE_SZ, pipe_size);
    }
    if (!state->pipe.first.open()) co_return co_await ByteStream::pull(size);
    while (!state->closed) {
        const Result<void> gathered = co_await state->gather(size);
        if (!gathered) co_return gathered.error();
        const ssize_t moved = ::splice(state->number(), nullptr, state->pipe.second.get(), nullptr, size,
                                       SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
        if (moved == 0) co_return nullptr;
        if (moved < 0 && !would_block() && errno != EINTR)
            co_return system_failure("read from a peer", errno);
        if (moved < 0) continue;
        state->note(static_cast<std::size_t>(moved));
        co_return std::make_unique<PipeHaul>(std::shared_ptr<DescriptorPair>(state, &state->pipe),
                                             static_cast<std::size_t>(moved));
    }
    co_return state->broken("read from a peer", "");
}

Task<Result<void>> PlainStream::write_file(std::string_view head, OpenFile& file, std::uint64_t offset,
                                           std::size_t size) {
    const auto state = state_;
    if (file.descriptor() < 0) co_return co_await ByteStream::write_file(head, file, offset, size);
    const Result<void> begun = co_await state->send_head(head);
    if (!begun) co_return begun;
    state->pace.look(state->number());
    auto at = static_cast<off_t>(offset);
    while (size > 0 && !state->closed) {
        const ssize_t sent = ::sendfile(state->number(), file.descriptor(), &at, size);
        if (sent > 0) size -= static_cast<std::size_t>(sent);
        if (sent == 0) co_return unavailable("a file became shorter");
        if (sent > 0 || errno == EINTR) continue;
        if (errno == EINVAL)
            co_return co_await ByteStream::write_file({}, file, static_cast<std::uint64_t>(at), size);
        if (!would_block()) co_return system_failure("write to a peer", errno);
        const Result<void> waited = co_await state->ready(tcp::socket::wait_write);
        if (!waited) co_return waited;
    }
    if (size > 0) co_return state->broken("write to a peer", "");
    co_return Result<void>();
}

void PlainStream::gather(const Gathering& gathering) {
    state_->gathering = gathering;
}

void PlainStream::keep_below_link(double bits_per_second) {
    state_->pace.keep_below(state_->number(), bits_per_second);
}

// With a reset: the system sends nothing more of what it has taken.
void PlainStream::abort() {
    state_->closed = true;
    error_code ignored;
    state_->socket.set_option(asio::socket_base::linger(true, 0), ignored);
    state_->socket.close(ignored);
}

std::optional<std::uint64_t> PlainStream::delivered() const {
    return delivered_bytes(state_->number());
}

std::optional<std::uint64_t> PlainStream::undelivered() const {
    return undelivered_bytes(state_->number());
}

void PlainStream::close() {
    if (std::exchange(state_->closed, true)) return;
    error_code ignored;
    state_->socket.cancel(ignored);
    if (state_->socket.is_open())
        asio::co_spawn(state_->socket.get_executor(), State::farewell(state_), asio::detached);
}

}  // namespace trellis
