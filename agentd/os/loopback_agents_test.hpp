// For tests: agents of one operation on this machine's loopback addresses, and a way to run one coroutine to
// its end.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/peer.hpp"
#include "trellis/task.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/os/listening_sockets.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

namespace trellis::loopback {

class Agents {
  public:
    explicit Agents(std::uint32_t count,
                    const std::vector<Address>& addresses = {{"127.0.0.1", "127.0.0.0/8"}}) {
        for (std::uint32_t i = 0; i < count; ++i) {
            keys_.push_back(std::make_shared<SessionKey>());
            Host host;
            host.id = HostId{i + 1};
            host.name = "h" + std::to_string(i);
            host.addresses = addresses;
            host.key = keys_.back()->public_key();
            hosts_.push_back(host);
        }
    }
    [[nodiscard]] std::shared_ptr<const SessionKey> key(std::size_t index) const { return keys_[index]; }
    [[nodiscard]] HostId id(std::size_t index) const { return hosts_[index].id; }
    [[nodiscard]] PeerSession session(std::size_t index, std::uint32_t operation = 1) const {
        return {OperationId{operation}, std::string(session_nonce_size, 'n'), hosts_[index].id, hosts_};
    }

  private:
    std::vector<std::shared_ptr<const SessionKey>> keys_;
    std::vector<Host> hosts_;
};

// Runs `task` on `context` until it returns; rethrows what it throws.
template <class T>
T run(asio::io_context& context, Task<T> task) {
    std::optional<T> value;
    std::exception_ptr thrown;
    asio::co_spawn(context, std::move(task), [&](const std::exception_ptr& error, T result) {
        thrown = error;
        if (!error) value = std::move(result);
        context.stop();
    });
    context.restart();
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
}

constexpr std::chrono::seconds ample{20};  // for what must come, on however slow a machine

// Runs `context` until `done()`, as long as `ample` at the most; returns the last `done()`.
inline bool run_until(asio::io_context& context, const auto& done) {
    const auto end = std::chrono::steady_clock::now() + ample;
    while (!done() && std::chrono::steady_clock::now() < end) {
        context.restart();
        context.run_for(std::chrono::milliseconds(5));
    }
    return done();
}

// A stranger's connection, complete and blocking; closed if it is refused.
inline FileDescriptor stranger(const Endpoint& at) {
    const auto address = socket_address(at.addresses.front().ip, at.port);
    FileDescriptor socket(::socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), address->get(), address->size) != 0) socket.reset();
    return socket;
}

// What the other side does with `socket` within `limit`: the bytes that it sent, nullopt if it left it open.
inline std::optional<std::string> until_closed(const FileDescriptor& socket,
                                               std::chrono::milliseconds limit = ample) {
    const auto end = std::chrono::steady_clock::now() + limit;
    std::string got;
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waits{socket.get(), POLLIN, 0};
        if (left.count() <= 0 || ::poll(&waits, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
        char buffer[256];
        const ssize_t size = ::recv(socket.get(), buffer, sizeof buffer, 0);
        if (size <= 0) return got;
        got.append(buffer, static_cast<std::size_t>(size));
    }
}

// Of this process's sockets, this stream's alone then has a limit: a little below the link.
inline void expect_to_stay_below_a_link(ByteStream& stream) {
    constexpr double link = 1e9;
    constexpr int most_sockets = 256;
    constexpr auto unlimited = ~std::uint64_t{0};
    stream.keep_below_link(link);
    int limited = 0;
    for (int number = 0; number < most_sockets; ++number) {
        std::uint64_t rate = unlimited;
        socklen_t size = sizeof rate;
        ::getsockopt(number, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, &size);
        if (rate == unlimited) continue;
        ++limited;
        EXPECT_LT(8 * static_cast<double>(rate), 0.99 * link);
        EXPECT_GT(8 * static_cast<double>(rate), 0.97 * link);
    }
    EXPECT_EQ(limited, 1);
}

}  // namespace trellis::loopback
