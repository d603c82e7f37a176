#include "plugins/bcast/root_service.hpp"

#include "trellis/message.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr Duration reach_time = std::chrono::milliseconds(500);

}  // namespace

Task<void> RootService::serve(HostId host, Endpoint at, Ask ask, std::function<void()> on_tree) {
    if (ask.from.offset > chunk_size) co_return;
    Connection connection;
    if (!ask.by_tree) connection = co_await connect(host, std::move(at), ask.stream);
    Write write;
    if (connection) {
        operation_.finish(host, ask.stream);
        crew_.add(close_when_left(connection));
        connection->keep_below_link(slowest_link_);
        write = [connection](Parts bytes) { return connection->write_parts(bytes); };
    } else {
        on_tree();
        write = [this, host, stream = ask.stream](Parts bytes) {
            return operation_.write(host, stream, joined(bytes));
        };
    }
    FeederParts parts;
    parts.read_again = read_again_;
    parts.write = [this, &write](Parts bytes) { return write_limited(bytes, write); };
    Feeder feeder(holding_, clock_, std::move(parts), ask.from);
    ++served_;
    (void)co_await feeder.run();
    --served_;
    if (connection)
        connection->close();
    else
        operation_.finish(host, ask.stream);
}

// Null if there is none, or the host does not ask on it.
Task<RootService::Connection> RootService::connect(HostId host, Endpoint at, std::uint32_t stream) {
    if (at.port == 0) co_return nullptr;
    auto made = co_await operation_.connect(host, std::move(at), reach_time);
    if (!made) co_return nullptr;
    Connection connection = std::move(*made);
    const auto asked = std::make_shared<bool>(false);
    crew_.add(close_unless(asked, connection));
    std::string offer = encode(stream);
    (void)co_await connection->write(std::move(offer));
    const std::string request = co_await read_first(*connection, request_size);
    *asked = request.size() == request_size;
    if (!*asked) connection = nullptr;
    co_return connection;
}

Task<void> RootService::close_unless(std::shared_ptr<bool> asked, Connection connection) {
    co_await clock_.sleep(reach_time);
    if (!*asked) connection->close();
}

// By so little at a time that none of the hosts waits long enough to take this one for silent.
Task<Result<void>> RootService::write_limited(Parts parts, const Write& write) {
    if (limit_ <= 0) co_return co_await write(parts);
    const std::string all = joined(parts);
    const double share = limit_ * std::chrono::duration<double>(tick).count() / served_;
    const auto most = std::max<std::size_t>(1, static_cast<std::size_t>(share));
    Result<void> written;
    for (std::size_t at = 0; written && at < all.size(); at += most) {
        const std::array<std::string_view, 1> next{std::string_view(all).substr(at, most)};
        co_await keep_to_limit(next[0].size());
        written = co_await write(next);
    }
    co_return written;
}

Task<void> RootService::keep_to_limit(std::size_t size) {
    const std::chrono::duration<double> time(static_cast<double>(size) / limit_);
    const TimePoint begin = std::max(free_, clock_.now());
    free_ = begin + std::chrono::duration_cast<Duration>(time);
    co_await clock_.sleep_until(begin);
}

}  // namespace trellis::plugins::bcast
