// Signal and Mailbox<T>: how coroutines of one process wait for one another. They belong to the object whose
// state they guard and must outlive the coroutines that wait on them. One thread only; they never keep time.
#pragma once

#include "trellis/task.hpp"

#include <deque>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {

// A condition without memory: check the state, wait(), check again.
class Signal {
  public:
    explicit Signal(const Executor& executor) : timer_(executor, asio::steady_timer::time_point::max()) {}
    // Returns after the next notify(), or when the coroutine is cancelled.
    Task<void> wait() { co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable)); }
    void notify() { timer_.cancel(); }

  private:
    asio::steady_timer timer_;  // never expires; cancelling it wakes everyone who waits
};

template <class T>
class Mailbox {
  public:
    explicit Mailbox(const Executor& executor) : arrived_(executor) {}
    void push(T item) {
        items_.push_back(std::move(item));
        arrived_.notify();
    }
    Task<T> pop() {
        while (items_.empty())
            co_await arrived_.wait();
        T item = std::move(items_.front());
        items_.pop_front();
        co_return item;
    }
    [[nodiscard]] bool empty() const { return items_.empty(); }

  private:
    std::deque<T> items_;
    Signal arrived_;
};

}  // namespace trellis
