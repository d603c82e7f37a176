#include "agentd/os/rising_pace.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

constexpr double all_of_it = 0.9;       // arrives, as a share of what may leave
constexpr double after_a_queue = 0.96;  // of what arrives: it shrinks
constexpr std::chrono::seconds longest_interval(60);
constexpr std::chrono::milliseconds draining(500);  // of a queue
constexpr int sure = 4;                             // looks: a host may only have answered late
constexpr int remembered = 8;                       // looks: for the usual round trip

}  // namespace

void RisingPace::settle(double arriving, Time now) {
    const double least = rate_ > settled_ ? settled_ : measured_;
    const double before = std::exchange(settled_, std::max(least, after_a_queue * arriving));
    interval_ = settled_ > ConnectionSigns::worth_trying * before ? first_interval
                                                                  : std::min(2 * interval_, longest_interval);
    rate_ = settled_;
    settled_since_ = now;
}

bool RisingPace::queue_grows(const ConnectionSigns::Seen& seen) {
    if (!usual_) usual_ = seen.round_trip;
    const bool queued = signs_.queued(seen, *usual_);
    if (rate_ <= settled_) *usual_ += (seen.round_trip - *usual_) / remembered;
    return queued;
}

std::optional<double> RisingPace::next(const ConnectionSigns::Seen& seen, Time now) {
    if (!settled_since_) settled_since_ = now;
    const bool queued = queue_grows(seen);
    queued_for_ = queued ? queued_for_ + 1 : 0;
    const std::optional<double> arriving = signs_.rate(seen, now);
    if (!arriving) return std::nullopt;
    const bool rising = rate_ > settled_;
    if (queued_for_ >= sure && (rising || now - *settled_since_ >= draining)) {
        settle(*arriving, now);
    } else if (!queued && *arriving >= all_of_it * rate_ && (rising || now - *settled_since_ >= interval_)) {
        rate_ *= ConnectionSigns::faster;
    }
    return rate_;
}

}  // namespace trellis
