#include "tests/sim/virtual_time.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis::sim {
namespace {

using SleepHandler = asio::any_completion_handler<void(boost::system::error_code)>;

// One sleeping coroutine.
class Sleeper final : public Due, public std::enable_shared_from_this<Sleeper> {
  public:
    Sleeper(asio::io_context& context, SleepHandler handler)
        : context_(context), handler_(std::move(handler)) {}

    bool due(std::uint64_t) override {
        wake({});
        return true;
    }
    [[nodiscard]] bool pending() const override { return static_cast<bool>(handler_); }

    void watch_cancellation() {
        auto slot = asio::get_associated_cancellation_slot(handler_);
        if (!slot.is_connected()) return;
        slot.assign([weak = weak_from_this()](asio::cancellation_type) {
            if (const auto self = weak.lock()) self->wake(asio::error::operation_aborted);
        });
    }

  private:
    void wake(boost::system::error_code error) {
        if (!handler_) return;
        asio::get_associated_cancellation_slot(handler_).clear();
        asio::post(context_, asio::append(std::exchange(handler_, nullptr), error));  // on its own executor
    }

    asio::io_context& context_;
    SleepHandler handler_;
};

}  // namespace

VirtualTime::VirtualTime()
    : context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE), working_(asio::make_work_guard(context_)) {}

VirtualTime::~VirtualTime() {
    close();
}

void VirtualTime::close() {
    closed_ = true;
    queue_.clear();
    free_.clear();
    const auto dropped = std::exchange(events_, {});  // what is destroyed here may want to add events
}

Task<void> VirtualTime::sleep_until(TimePoint when) {
    auto start = [this, when](auto handler) {
        auto sleeper = std::make_shared<Sleeper>(context_, SleepHandler(std::move(handler)));
        sleeper->watch_cancellation();
        at(when, std::move(sleeper));
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(boost::system::error_code)>(
        start, asio::use_awaitable);
}

void VirtualTime::at(TimePoint when, std::shared_ptr<Due> what, std::uint64_t tag) {
    if (closed_) return;
    if (queue_.size() >= sweep_at_) drop_what_is_not_pending();
    auto place = static_cast<std::uint32_t>(events_.size());
    if (free_.empty()) {
        events_.emplace_back();
    } else {
        place = free_.back();
        free_.pop_back();
    }
    events_[place] = {std::move(what), tag};
    queue_.push_back({std::max(when, now_), next_order_++, place});
    std::push_heap(queue_.begin(), queue_.end());
}

void VirtualTime::at(TimePoint when, Due& what, std::uint64_t tag) {
    at(when, std::shared_ptr<Due>(std::shared_ptr<Due>(), &what), tag);
}

// Timers that wait for what came long ago would make every other event dearer.
void VirtualTime::drop_what_is_not_pending() {
    const auto pending = [this](const Appointment& each) { return events_[each.event].what->pending(); };
    const auto gone = std::partition(queue_.begin(), queue_.end(), pending);
    std::vector<Event> dropped;  // what is destroyed here may want to add events
    for (auto each = gone; each != queue_.end(); ++each)
        dropped.push_back(release(*each));
    queue_.erase(gone, queue_.end());
    std::make_heap(queue_.begin(), queue_.end());
    sweep_at_ = std::max<std::size_t>(1024, 2 * queue_.size());
}

VirtualTime::Event VirtualTime::release(const Appointment& appointment) {
    free_.push_back(appointment.event);
    return std::move(events_[appointment.event]);
}

VirtualTime::Event VirtualTime::take_first() {
    std::pop_heap(queue_.begin(), queue_.end());
    const Appointment first = queue_.back();
    queue_.pop_back();
    return release(first);
}

// All events of the next time that there is. False if there is none up to `limit`.
bool VirtualTime::happen_next(TimePoint limit) {
    bool ready = false;
    while (!ready) {
        while (!queue_.empty() && !first_is_pending())
            take_first();
        if (queue_.empty() || queue_.front().when > limit) return false;
        now_ = queue_.front().when;
        while (!queue_.empty() && queue_.front().when == now_) {
            const Event event = take_first();
            ++happened_;
            if (event.what->pending()) ready |= event.what->due(event.tag);
        }
    }
    return true;
}

bool VirtualTime::run(const std::function<bool()>& enough, TimePoint limit) {
    for (;;) {
        context_.poll();
        if (enough()) return true;
        if (!happen_next(limit)) return false;
    }
}

}  // namespace trellis::sim
