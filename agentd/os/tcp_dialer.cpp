#include "agentd/os/tcp_dialer.hpp"

#include "agentd/os/fd_stream.hpp"
#include "agentd/os/name_lookup.hpp"
#include "agentd/os/wakeup.hpp"

#include <optional>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace trellis {

namespace {

using asio::ip::tcp;

// While further addresses are left, a silent one gets this much time.
constexpr std::chrono::seconds patience{3};

std::string text_of(const tcp::endpoint& endpoint) {
    return endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
}

Task<boost::system::error_code> connect_one(tcp::socket& socket, tcp::endpoint endpoint, bool last) {
    struct Watch {
        bool ended = false;
        bool expired = false;
    };
    struct Ending {
        std::shared_ptr<Watch> watch;
        ~Ending() { watch->ended = true; }
    };
    const Ending ending{std::make_shared<Watch>()};
    asio::steady_timer timer(socket.get_executor());
    const auto expire = [&socket, watch = ending.watch](const boost::system::error_code& error) {
        if (error || watch->ended) return;
        watch->expired = true;
        socket.cancel();
    };
    if (!last) {
        timer.expires_after(patience);
        timer.async_wait(expire);
    }
    const auto [error] = co_await socket.async_connect(endpoint, as_result);
    if (ending.watch->expired) co_return make_error_code(asio::error::timed_out);
    co_return error;
}

}  // namespace

Task<Result<FileDescriptor>> connect_tcp(std::string host, std::uint16_t port, int family) {
    const Result<std::vector<tcp::endpoint>> endpoints = co_await look_up(std::move(host), port, family);
    if (!endpoints) co_return endpoints.error();
    const Executor executor = co_await asio::this_coro::executor;
    Failure failure{FailureKind::unreachable, "connect", "", "no address"};
    for (const tcp::endpoint& endpoint : *endpoints) {
        tcp::socket socket(executor);
        const boost::system::error_code error =
            co_await connect_one(socket, endpoint, &endpoint == &endpoints->back());
        if (!error) {
            boost::system::error_code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            FileDescriptor descriptor(socket.release());
            set_nonblocking(descriptor.get());
            close_on_exec(descriptor.get());
            co_return descriptor;
        }
        failure.cause = text_of(endpoint) + ": " + error.message();
    }
    co_return failure;
}

Task<Result<FileDescriptor>> connect_tcp_within(std::string host, std::uint16_t port, int family,
                                                Duration timeout) {
    const Executor executor = co_await asio::this_coro::executor;
    using asio::experimental::awaitable_operators::operator||;
    asio::steady_timer timer(executor, timeout);
    auto expiry = timer.async_wait(asio::use_awaitable);
    auto race = connect_tcp(host, port, family) || std::move(expiry);
    auto result = co_await std::move(race);
    if (result.index() == 0) co_return std::move(std::get<0>(result));
    co_return Failure{FailureKind::timed_out, "connect", "",
                      "no answer from " + host + " port " + std::to_string(port)};
}

Task<Result<std::unique_ptr<ByteStream>>> TcpDialer::dial(std::string host, std::uint16_t port,
                                                          Duration timeout) {
    Result<FileDescriptor> descriptor =
        co_await connect_tcp_within(std::move(host), port, AF_UNSPEC, timeout);
    if (!descriptor) co_return descriptor.error();
    co_return std::make_unique<FdStream>(executor_, std::move(*descriptor));
}

}  // namespace trellis
