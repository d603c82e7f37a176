#include "plugins/bcast/pace.hpp"

#include <algorithm>

namespace trellis::plugins::bcast {

void Pace::add(TimePoint now, double bytes, Duration kept) {
    if (!empty() && bytes < this->bytes()) return;
    if (!empty() && bytes > 0 && this->bytes() == 0) clear();  // it begins, perhaps with what it had kept
    samples_.push_back({now, bytes});
    while (samples_.size() > 2 && now - samples_[1].time >= kept)
        samples_.pop_front();
}

std::optional<TimePoint> Pace::before_end(Duration least) const {
    const auto early = [&](const Sample& sample) { return end() - sample.time >= least; };
    const auto found = std::find_if(samples_.rbegin(), samples_.rend(), early);
    return found == samples_.rend() ? std::nullopt : std::optional(found->time);
}

double Pace::bytes_at(TimePoint time) const {
    const auto next = std::ranges::upper_bound(samples_, time, {}, &Sample::time);
    if (next == samples_.begin()) return 0;
    const Sample& last = *(next - 1);
    if (next == samples_.end()) return last.bytes;
    const std::chrono::duration<double> since = time - last.time, between = next->time - last.time;
    return last.bytes + (next->bytes - last.bytes) * (since / between);
}

double Pace::rate(TimePoint from, TimePoint to) const {
    const std::chrono::duration<double> time = to - from;
    return from < to ? (bytes_at(to) - bytes_at(from)) / time.count() : 0;
}

}  // namespace trellis::plugins::bcast
