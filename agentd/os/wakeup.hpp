// Wakeup: lets coroutines of one io_context wait until something that they check themselves has changed:
//   while (!ready) co_await wakeup.wait();
// Owned by the object whose state it guards; that object must outlive the waits (hold it by shared_ptr).
#pragma once

#include "trellis/task.hpp"

#include <chrono>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {

// Completion token: the error code comes first in a tuple instead of as an exception.
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

class Wakeup {
  public:
    explicit Wakeup(const Executor& executor)
        : timer_(executor, std::chrono::steady_clock::time_point::max()) {}

    // Returns at the next notify(). Honours asio cancellation at the next suspension of the caller.
    Task<void> wait() { co_await timer_.async_wait(as_result); }
    // Wakes all who wait now.
    void notify() { timer_.cancel(); }

  private:
    asio::steady_timer timer_;
};

}  // namespace trellis
