#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <cmath>

namespace trellis::plugins::bwtree {
namespace {

constexpr std::size_t window = 10;            // slots
constexpr double steady_error = 0.015;        // of the mean over the window, as a share of it
constexpr double steady_drift = 0.04;         // between its halves
constexpr double share_without_growth = 0.5;  // of all slots, if the flow does not become steady

double seconds_of(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

void FlowMeter::add(TimePoint now, std::size_t bytes) {
    bytes_ += bytes;
    unfinished_ += static_cast<double>(bytes);
    if (now - mark_ < settings_.slot) return;
    slots_.push_back({unfinished_, seconds_of(now - mark_)});
    unfinished_ = 0;
    mark_ = now;
    if (done_) return;
    const bool warm = now - begin_ >= settings_.warm_up + static_cast<int>(window) * settings_.slot;
    done_ = now - begin_ >= settings_.most || (warm && steady());
}

MeterReading FlowMeter::over(std::size_t slots) const {
    double bytes = 0, seconds = 0;
    for (std::size_t i = slots_.size() - slots; i < slots_.size(); ++i) {
        bytes += slots_[i].bytes;
        seconds += slots_[i].seconds;
    }
    const double mean = bytes / seconds;
    double squares = 0;  // of the slots' rates from the mean, weighted by their lengths
    for (std::size_t i = slots_.size() - slots; i < slots_.size(); ++i) {
        const double off = slots_[i].bytes / slots_[i].seconds - mean;
        squares += off * off * slots_[i].seconds / seconds;
    }
    const auto count = static_cast<double>(slots);
    return {mean, slots > 1 ? std::sqrt(squares / (count - 1)) : mean};
}

bool FlowMeter::steady() const {
    if (slots_.size() < window) return false;
    const MeterReading whole = over(window), half = over(window / 2);
    return whole.standard_error < steady_error * whole.rate &&
           std::abs(half.rate - whole.rate) < steady_drift / 2 * whole.rate;
}

MeterReading FlowMeter::reading() const {
    if (slots_.empty()) return {};
    if (steady()) return over(window);
    const auto half =
        static_cast<std::size_t>(std::ceil(share_without_growth * static_cast<double>(slots_.size())));
    return over(std::max(half, std::min(window, slots_.size())));
}

}  // namespace trellis::plugins::bwtree
