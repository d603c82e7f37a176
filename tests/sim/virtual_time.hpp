// VirtualTime: a Clock that stands still while coroutines run and jumps to the next event when none is ready.
// Owned by the simulated world, over an io_context that nothing else runs. It never reads a real clock: two
// runs of one program agree in every event and every time.
#pragma once

#include "trellis/clock.hpp"

#include <cstdint>
#include <functional>
#include <memory>
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
    void at(TimePoint when, std::function<void()> what);
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
    struct Event {
        TimePoint when;
        std::uint64_t order;
        std::shared_ptr<Due> what;
        std::uint64_t tag;
        friend bool operator<(const Event& a, const Event& b) {  // the heap's top is the first to come
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };
    Event take_first();
    bool happen_next(TimePoint limit);

    asio::io_context context_;
    asio::executor_work_guard<asio::io_context::executor_type> working_;
    std::vector<Event> queue_;
    TimePoint now_{};
    std::uint64_t next_order_ = 0;
    std::uint64_t happened_ = 0;
    bool closed_ = false;
};

}  // namespace trellis::sim
