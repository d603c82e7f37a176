#include "plugins/bcast/root_service.hpp"

#include "trellis/message.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr Duration reach_time = std::chrono::milliseconds(500);

}  // namespace

Task<void> RootService::serve(HostId host, Endpoint at, Ask ask, std::function<void()> on_tree) {
    if (ask.from.offset > chunk_size) co_return;
    Connection connection;
    if (!ask.by_tree) connection = co_await connect(host, std::move(at), ask.stream);
    FeederParts parts;
    parts.read_again = read_again_;
    if (connection) {
        operation_.finish(host, ask.stream);
        crew_.add(close_when_left(connection));
        connection->keep_below_link(slowest_link_);
        parts.write = [this, connection](Parts bytes) -> Task<Result<void>> {
            co_await keep_to_limit(bytes);
            co_return co_await connection->write_parts(bytes);
        };
    } else {
        on_tree();
        parts.write = [this, host, stream = ask.stream](Parts bytes) -> Task<Result<void>> {
            co_await keep_to_limit(bytes);
            std::string all = joined(bytes);
            co_return co_await operation_.write(host, stream, std::move(all));
        };
    }
    Feeder feeder(holding_, clock_, std::move(parts), ask.from);
    (void)co_await feeder.run();
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

Task<void> RootService::keep_to_limit(Parts parts) {
    if (limit_ <= 0) co_return;
    std::size_t size = 0;
    for (const std::string_view part : parts)
        size += part.size();
    const std::chrono::duration<double> time(static_cast<double>(size) / limit_);
    const TimePoint begin = std::max(free_, clock_.now());
    free_ = begin + std::chrono::duration_cast<Duration>(time);
    co_await clock_.sleep_until(begin);
}

}  // namespace trellis::plugins::bcast
