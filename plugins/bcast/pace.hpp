// Pace: how much of the object a host had when, for some seconds, and its rates in that time. Pure; a part of
// a place in a formation.
#pragma once

#include "trellis/time.hpp"

#include <deque>
#include <optional>

namespace trellis::plugins::bcast {

class Pace {
  public:
    // It has so many bytes now; what is older than `kept`, but for the latest such sample, is forgotten.
    // Fewer than before: not heeded.
    void add(TimePoint now, double bytes, Duration kept);
    void clear() { samples_.clear(); }

    [[nodiscard]] bool empty() const { return samples_.empty(); }
    // Of these there must be some.
    [[nodiscard]] TimePoint begin() const { return samples_.front().time; }
    [[nodiscard]] TimePoint end() const { return samples_.back().time; }
    [[nodiscard]] double bytes() const { return samples_.back().bytes; }
    // The latest sample at least so long before the end; nothing: there is none.
    [[nodiscard]] std::optional<TimePoint> before_end(Duration least) const;
    [[nodiscard]] double bytes_at(TimePoint time) const;  // between samples; 0: not known
    // Bytes a second; 0: in no time.
    [[nodiscard]] double rate(TimePoint from, TimePoint to) const;

  private:
    struct Sample {
        TimePoint time;
        double bytes = 0;
    };
    std::deque<Sample> samples_;
};

}  // namespace trellis::plugins::bcast
