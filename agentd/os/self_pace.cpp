#include "agentd/os/self_pace.hpp"

#include <algorithm>

namespace trellis {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds memory(10);  // for the highest rate: a host may stand still a while
constexpr double least_rate = 1e6;          // bytes a second: below it there is nothing to gain
constexpr double most = 1.25;               // of what arrives: no link is near
constexpr double below = 0.98;              // of what arrives: a queue shrinks
// A delay that is always there may not be a queue of this connection.
constexpr std::chrono::seconds longest_trial_interval(8);  // the rate is not forgotten meanwhile
constexpr milliseconds trial_time(500);
constexpr double trial = 1.05;

}  // namespace

void SelfPace::note(const ConnectionSigns::Seen& seen, Time now) {
    if (const auto rate = signs_.rate(seen, now)) rates_.push_back({now, *rate});
    while (!rates_.empty() && now - rates_.front().time > memory)
        rates_.pop_front();
}

std::optional<double> SelfPace::next(const ConnectionSigns::Seen& seen, Time now) {
    const bool queue = signs_.queued(seen, seen.least_round_trip);
    if (!queue) tried_ = now - trial_time;
    if (!limited_ && !queue) return std::nullopt;
    limited_ = true;
    note(seen, now);
    if (rates_.empty()) return std::nullopt;
    const double best = std::ranges::max_element(rates_, {}, &Rate::value)->value;
    bool trying = now - tried_ < trial_time;
    const bool gained = trying && best > ConnectionSigns::worth_trying * best_before_;
    if (gained || now - tried_ > interval_) {
        interval_ = gained ? first_interval : std::min(2 * interval_, longest_trial_interval);
        trying = true;
        tried_ = now;
        best_before_ = best;
    }
    gain_ = queue ? (trying ? trial : below) : gain_ * ConnectionSigns::faster;
    const double rate = gain_ * best;
    if (gain_ < most && rate > least_rate) return rate;
    signs_.forget_rate();
    rates_.clear();
    limited_ = false;
    gain_ = 1;
    return unlimited;
}

}  // namespace trellis
