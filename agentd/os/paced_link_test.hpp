// PacedLink: a link behind a queue, to which a sender gives as much as its pace lets it, at most a multiple
// of what the link carries, in a time of its own.
#pragma once

#include "agentd/os/connection_signs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace trellis {

template <class Pace>
class PacedLink {
  public:
    using Clock = ConnectionSigns::Clock;

    // Bytes a second, and bytes of the queue; `first`: bytes a second at which it begins.
    PacedLink(double rate, double room, Clock::duration least, Pace pace = {},
              double first = std::numeric_limits<double>::infinity())
        : rate_(rate), room_(room), least_(least), pace_by_(std::move(pace)), pace_(first) {}
    void carry(double rate) { rate_ = rate; }
    void give(double share) { given_ = share; }
    void delay(Clock::duration other) { other_ = other; }
    // What has arrived meanwhile, as a share of what the link can carry.
    double go(Clock::duration time) {
        const double before = arrived_, lost = lost_;
        for (const auto end = now_ + time; now_ < end; now_ += step)
            turn();
        lost_lately_ = lost_ - lost;
        return (arrived_ - before) / rate_ / std::chrono::duration<double>(time).count();
    }
    [[nodiscard]] double lost_lately() const { return lost_lately_; }

  private:
    static constexpr Clock::duration step = std::chrono::milliseconds(1);
    void turn() {
        const double seconds = std::chrono::duration<double>(step).count();
        queue_ += std::min(pace_, given_ * rate_) * seconds;
        const double through = std::min(queue_, rate_ * seconds);
        queue_ -= through;
        arrived_ += through;
        lost_ += std::max(queue_ - room_, 0.0);
        queue_ = std::min(queue_, room_);
        if (now_.time_since_epoch() % std::chrono::milliseconds(50) != Clock::duration::zero()) return;
        const auto waiting =
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(queue_ / rate_));
        const ConnectionSigns::Seen seen{static_cast<std::uint64_t>(arrived_),
                                         static_cast<std::uint64_t>(lost_ / 1448), least_ + other_ + waiting,
                                         least_};
        const auto rate = pace_by_.next(seen, now_);
        pace_ = rate.value_or(pace_);
    }

    double rate_, room_;
    Clock::duration least_, other_{};
    Pace pace_by_;
    Clock::time_point now_{};
    double pace_, given_ = 10;
    double queue_ = 0, arrived_ = 0, lost_ = 0, lost_lately_ = 0;
};

}  // namespace trellis
