#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bwtree {

bool FlowMeter::add(TimePoint now, std::size_t bytes) {
    waiting_ += static_cast<double>(bytes);
    if (now <= last_) return false;
    const auto seconds = [](Duration duration) { return std::chrono::duration<double>(duration).count(); };
    const double rate = std::exchange(waiting_, 0) / seconds(now - last_);
    while (slot_begin_ < now) {
        const TimePoint from = std::max(last_, slot_begin_), end = slot_begin_ + settings_.slot;
        bytes_ += rate * seconds(std::min(now, end) - from);
        if (now < end) break;
        rates_.push_back(static_cast<float>(std::exchange(bytes_, 0) / seconds(settings_.slot)));
        slot_begin_ = end;
    }
    last_ = now;
    return rates_.size() >= slots_of_reading;
}

std::vector<float> FlowMeter::take() {
    taken_ += rates_.size();
    return std::exchange(rates_, {});
}

}  // namespace trellis::plugins::bwtree
