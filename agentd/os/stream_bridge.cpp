#include "agentd/os/stream_bridge.hpp"

#include "agentd/os/fd_stream.hpp"

#include <cerrno>
#include <cstring>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {

namespace {

Task<void> copy(std::shared_ptr<ByteStream> from, std::shared_ptr<ByteStream> to) {
    for (;;) {
        Result<std::string> bytes = co_await from->read();
        if (!bytes || bytes->empty()) break;
        const Result<void> written = co_await to->write(std::move(*bytes));
        if (!written) break;
    }
    from->close();
    to->close();
}

}  // namespace

Task<void> join_streams(std::shared_ptr<ByteStream> a, std::shared_ptr<ByteStream> b) {
    using namespace asio::experimental::awaitable_operators;
    auto there = copy(a, b), back = copy(b, a);
    co_await (std::move(there) && std::move(back));
}

Result<FileDescriptor> bridge_to_descriptor(const Executor& executor, std::unique_ptr<ByteStream> stream) {
    DescriptorPair ends = make_socket_pair();
    if (!ends.first.open()) return Failure{FailureKind::cannot_start, "log in", "", std::strerror(errno)};
    set_nonblocking(ends.first.get());
    const std::shared_ptr<ByteStream> outer = std::move(stream);
    const std::shared_ptr<ByteStream> inner = std::make_shared<FdStream>(executor, std::move(ends.second));
    asio::co_spawn(executor, copy(outer, inner), asio::detached);
    asio::co_spawn(executor, copy(inner, outer), asio::detached);
    return std::move(ends.first);
}

}  // namespace trellis
