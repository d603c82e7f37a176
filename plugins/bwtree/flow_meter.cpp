#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bwtree {

namespace {

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

bool FlowMeter::add(TimePoint now, std::uint64_t arrived) {
    if (now <= before_) return false;
    const std::uint64_t count = std::max(arrived, counted_);
    const bool stood_still = now - before_ > static_cast<int>(slots_of_reading) * settings_.slot;
    const double rate = stood_still ? 0 : static_cast<double>(count - counted_) / seconds(now - before_);
    while (slot_begin_ < now && !done()) {
        const TimePoint from = std::max(before_, slot_begin_), end = slot_begin_ + settings_.slot;
        bytes_ += rate * seconds(std::min(now, end) - from);
        if (now < end) break;
        rates_.push_back(static_cast<float>(std::exchange(bytes_, 0) / seconds(settings_.slot)));
        slot_begin_ = end;
    }
    before_ = now;
    counted_ = count;
    return rates_.size() >= slots_of_report || done();
}

std::vector<float> FlowMeter::take() {
    taken_ += rates_.size();
    return std::exchange(rates_, {});
}

}  // namespace trellis::plugins::bwtree
