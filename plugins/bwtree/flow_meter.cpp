#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bwtree {

namespace {

constexpr Duration gap = std::chrono::microseconds(500);  // at the most, within what comes at once
constexpr Duration longest_burst = std::chrono::milliseconds(2);

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

bool FlowMeter::add(TimePoint now, std::size_t bytes) {
    if ((now - last_ > gap || now - first_ > longest_burst) && last_ > before_) spread();
    if (burst_ == 0) first_ = now;
    burst_ += static_cast<double>(bytes);
    last_ = now;
    return rates_.size() >= slots_of_reading;
}

void FlowMeter::spread() {
    const double rate = std::exchange(burst_, 0) / seconds(last_ - before_);
    while (slot_begin_ < last_) {
        const TimePoint from = std::max(before_, slot_begin_), end = slot_begin_ + settings_.slot;
        bytes_ += rate * seconds(std::min(last_, end) - from);
        if (last_ < end) break;
        rates_.push_back(static_cast<float>(std::exchange(bytes_, 0) / seconds(settings_.slot)));
        slot_begin_ = end;
    }
    before_ = last_;
}

std::vector<float> FlowMeter::take() {
    taken_ += rates_.size();
    return std::exchange(rates_, {});
}

}  // namespace trellis::plugins::bwtree
