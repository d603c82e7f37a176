#include "plugins/infer/survey/pair_window.hpp"

#include <algorithm>

namespace trellis::plugins::infer {
namespace {

// Round trips that take longer than this beyond the least wait for processors, or in queues of the network.
constexpr Duration late_from = std::chrono::milliseconds(5);
constexpr double least_window = 0.125;
constexpr double widest_window = 64;
constexpr Duration longest_rest = std::chrono::seconds(1);

}  // namespace

void PairWindow::ended(TimePoint begun, TimePoint now, Duration delay) {
    if (delay <= late_from) {
        size_ = std::min(size_ + 1, widest_window);
    } else if (begun >= halved_) {
        size_ = std::max(size_ / 2, least_window);
        halved_ = now;
    }
}

int PairWindow::pairs() const {
    return std::max(1, static_cast<int>(size_));
}

Duration PairWindow::rest(Duration probing) const {
    if (size_ >= 1) return Duration::zero();
    const auto rest = std::chrono::duration_cast<Duration>(probing * (1 / size_ - 1));
    return std::min(rest, longest_rest);
}

}  // namespace trellis::plugins::infer
