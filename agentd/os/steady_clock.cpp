#include "agentd/os/steady_clock.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {

TimePoint SteadyClock::now() const {
    return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

Task<void> SteadyClock::sleep_until(TimePoint when) {
    const Executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, std::chrono::steady_clock::time_point(when.time_since_epoch()));
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace trellis
