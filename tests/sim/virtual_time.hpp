// VirtualTime: a Clock that stands still while coroutines run and jumps to the next event when none is ready.
// Owned by the simulated world, over an io_context that nothing else runs. It never reads a real clock: two
// runs of one program agree in every event and every time.
#pragma once

#include "trellis/clock.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace trellis::sim {

// Something that happens at a time.
class Due {
  public:
    virtual ~Due() = default;
    // `tag`: as given to VirtualTime::at(). True if a coroutine may have become ready.
    virtual bool due(std::uint64_t tag) = 0;
    // An event that is not pending any more is dropped; time does not advance to it.
    [[nodiscard]] virtual bool pending() const { return true; }
};

class VirtualTime final : public Clock {
  public:
    VirtualTime();
    ~VirtualTime() override;

    [[nodiscard]] TimePoint now() const override { return now_; }
    Task<void> sleep_until(TimePoint when) override;

    // Events of the same time happen in the order in which they were made.
    void at(TimePoint when, std::shared_ptr<Due> what, std::uint64_t tag = 0);
    // Calls `what`. It may return a bool: whether a coroutine may have become ready. The event is dropped
    // once `pending` says no.
    template <std::invocable What>
    void at(TimePoint when, What what) {
        at(when, std::move(what), [] { return true; });
    }
    template <std::invocable What, std::predicate Pending>
    void at(TimePoint when, What what, Pending pending) {
        using Made = Call<What, Pending>;
        at(when, std::shared_ptr<Due>(std::make_shared<Made>(std::move(what), std::move(pending))));
    }
    // Like the first at(), for what outlives the queue.
    void at(TimePoint when, Due& what, std::uint64_t tag);

    // Runs what is ready, then event after event until `enough` or until `limit` has passed. False if it ran
    // out of events or time before.
    bool run(const std::function<bool()>& enough, TimePoint limit);
    // Drops all events; nothing can be added any more.
    void close();

    [[nodiscard]] asio::io_context& context() { return context_; }
    [[nodiscard]] std::uint64_t events() const { return happened_; }

  private:
    template <class What, class Pending>
    class Call final : public Due {
      public:
        Call(What what, Pending pending) : what_(std::move(what)), pending_(std::move(pending)) {}
        bool due(std::uint64_t) override {
            if constexpr (std::is_void_v<std::invoke_result_t<What&>>) {
                what_();
                return true;
            } else {
                return what_();
            }
        }
        [[nodiscard]] bool pending() const override { return pending_(); }

      private:
        What what_;
        Pending pending_;
    };
    struct Event {
        std::shared_ptr<Due> what;
        std::uint64_t tag = 0;
    };
    // When an event happens; small, since the heap moves it about.
    struct Appointment {
        TimePoint when;
        std::uint64_t order;
        std::uint32_t event;  // of events_
        // The heap's top is the first to come.
        friend bool operator<(const Appointment& a, const Appointment& b) {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };
    [[nodiscard]] bool first_is_pending() const { return events_[queue_.front().event].what->pending(); }
    Event take_first();
    Event release(const Appointment& appointment);
    void drop_what_is_not_pending();
    bool happen_next(TimePoint limit);

    asio::io_context context_;
    asio::executor_work_guard<asio::io_context::executor_type> working_;
    std::vector<Appointment> queue_;  // a heap
    std::vector<Event> events_;
    std::vector<std::uint32_t> free_;  // of events_
    std::size_t sweep_at_ = 1024;      // events: so many are worth looking through
    TimePoint now_{};
    std::uint64_t next_order_ = 0;
    std::uint64_t happened_ = 0;
    bool closed_ = false;
};

}  // namespace trellis::sim
