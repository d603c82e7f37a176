#include "agentd/os/self_pace.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds least_time(400);     // for a rate
constexpr std::chrono::seconds memory(10);  // for the highest one: a host may stand still a while
constexpr milliseconds short_queue(2);
constexpr double least_rate = 1e6;  // bytes a second: below it there is nothing to gain
// `most`: no link is near.
constexpr double below = 0.96, faster = 1.01, most = 1.25;
// A delay that is always there may not be a queue of this connection.
constexpr std::chrono::seconds trial_interval(2);
constexpr milliseconds trial_time(500);
constexpr double trial = 1.05;

}  // namespace

void SelfPace::note(const Seen& seen, Time now) {
    arrivals_.push_back({now, static_cast<double>(seen.arrived)});
    while (arrivals_.size() > 2 && now - arrivals_[1].time >= least_time)
        arrivals_.pop_front();
    const std::chrono::duration<double> time = now - arrivals_.front().time;
    if (time >= least_time)
        rates_.push_back({now, (arrivals_.back().value - arrivals_.front().value) / time.count()});
    while (!rates_.empty() && now - rates_.front().time > memory)
        rates_.pop_front();
}

bool SelfPace::queued(const Seen& seen) {
    const bool lost = std::exchange(repeated_, seen.repeated) != seen.repeated;
    const Clock::duration usual = std::max<Clock::duration>(short_queue, seen.least_round_trip / 4);
    return lost || seen.round_trip > seen.least_round_trip + usual;
}

std::optional<double> SelfPace::next(const Seen& seen, Time now) {
    const bool queue = queued(seen);
    if (!queue) tried_ = now - trial_time;
    if (!limited_ && !queue) return std::nullopt;
    limited_ = true;
    note(seen, now);
    if (rates_.empty()) return std::nullopt;
    if (now - tried_ > trial_interval) tried_ = now;
    const bool trying = now - tried_ < trial_time;
    gain_ = queue ? (trying ? trial : below) : gain_ * faster;
    const double rate = gain_ * std::ranges::max_element(rates_, {}, &Sample::value)->value;
    if (gain_ < most && rate > least_rate) return rate;
    arrivals_.clear();
    rates_.clear();
    limited_ = false;
    gain_ = 1;
    return unlimited;
}

}  // namespace trellis
