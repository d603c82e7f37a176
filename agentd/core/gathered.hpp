// Gathered<T>: what is told to one receiver within a short time, handed on together and in order. Owned by
// the one who tells; what is not handed on when it ends is dropped. It never holds anything longer than told.
#pragma once

#include "trellis/clock.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

template <class T>
class Gathered : public std::enable_shared_from_this<Gathered<T>> {
  public:
    // `hold`: from the first of them on; zero: until whatever is ready now has run.
    Gathered(Executor executor, Clock& clock, Duration hold, std::function<void(std::vector<T>)> hand_on)
        : executor_(std::move(executor)), clock_(clock), hold_(hold), hand_on_(std::move(hand_on)) {}

    void add(T item) {
        items_.push_back(std::move(item));
        if (items_.size() > 1) return;
        asio::co_spawn(executor_, hand_on_later(this->weak_from_this(), &clock_, clock_.now() + hold_),
                       asio::detached);
    }

    // Hands on what there is.
    void flush() {
        if (!items_.empty()) hand_on_(std::exchange(items_, {}));
    }

  private:
    static Task<void> hand_on_later(std::weak_ptr<Gathered> gathered, Clock* clock, TimePoint when) {
        co_await clock->sleep_until(when);
        if (const auto self = gathered.lock()) self->flush();
    }

    Executor executor_;
    Clock& clock_;
    Duration hold_;
    std::function<void(std::vector<T>)> hand_on_;
    std::vector<T> items_;
};

}  // namespace trellis
