// Crew: coroutines that stand by one piece of work and end with it: whatever ends the work, cancellation too,
// nothing of the crew runs when run() returns. Owned by the object that the coroutines use.
#pragma once

#include "agentd/core/mailbox.hpp"

#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {

class Crew {
  public:
    explicit Crew(Executor executor) : executor_(std::move(executor)), ended_(executor_) {}

    // Starts one more, which may also end by itself. Only within run(); nothing is started once that ends:
    // who was woken up just before it is cancelled comes here, and nobody would end what it adds.
    void add(Task<void> member) {
        if (ending_) return;
        auto stop = std::make_shared<asio::cancellation_signal>();
        members_.push_back(stop);
        asio::co_spawn(executor_, std::move(member),
                       asio::bind_cancellation_slot(stop->slot(), [this, stop](const std::exception_ptr&) {
                           members_.remove(stop);
                           ended_.notify();
                       }));
    }
    [[nodiscard]] std::size_t size() const { return members_.size(); }

    template <class T>
    Task<T> run(Task<T> work) {
        std::optional<T> result;
        std::exception_ptr thrown;
        try {
            result.emplace(co_await std::move(work));
        } catch (...) {
            thrown = std::current_exception();
        }
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        ending_ = true;
        const auto members = members_;
        for (const auto& stop : members)
            stop->emit(asio::cancellation_type::terminal);
        while (!members_.empty())
            co_await ended_.wait();
        if (thrown) std::rethrow_exception(thrown);
        co_return std::move(*result);
    }

  private:
    Executor executor_;
    Signal ended_;
    std::list<std::shared_ptr<asio::cancellation_signal>> members_;
    bool ending_ = false;
};

}  // namespace trellis
