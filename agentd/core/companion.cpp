#include "agentd/core/companion.hpp"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {
namespace {

Task<void> never_first(Task<void> companion) {
    co_await std::move(companion);
    const Executor executor = co_await asio::this_coro::executor;
    asio::steady_timer for_ever(executor, asio::steady_timer::time_point::max());
    co_await for_ever.async_wait(asio::use_awaitable);
}

}  // namespace

Task<void> with_companion(Task<void> task, Task<void> companion) {
    const Executor executor = co_await asio::this_coro::executor;
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(task), asio::deferred),
        asio::co_spawn(executor, never_first(std::move(companion)), asio::deferred));
    const auto [order, error, companion_error] =
        co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    const asio::cancellation_state outer = co_await asio::this_coro::cancellation_state;
    const bool cancelled = outer.cancelled() != asio::cancellation_type::none;
    if (order[0] == 1 && !cancelled) std::rethrow_exception(companion_error);
    if (error) std::rethrow_exception(error);
}

}  // namespace trellis
