#include "agentd/os/connection_signs.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds least_time(400);  // for a rate
constexpr milliseconds short_queue(2);

}  // namespace

bool ConnectionSigns::queued(const Seen& seen, Clock::duration usual) {
    const bool lost = std::exchange(repeated_, seen.repeated) != seen.repeated;
    return lost ||
           seen.round_trip > usual + std::max<Clock::duration>(short_queue, seen.least_round_trip / 4);
}

std::optional<double> ConnectionSigns::rate(const Seen& seen, Time now) {
    arrivals_.push_back({now, seen.arrived});
    while (arrivals_.size() > 2 && now - arrivals_[1].time >= least_time)
        arrivals_.pop_front();
    const std::chrono::duration<double> time = now - arrivals_.front().time;
    if (time < least_time) return std::nullopt;
    return static_cast<double>(seen.arrived - arrivals_.front().bytes) / time.count();
}

}  // namespace trellis
