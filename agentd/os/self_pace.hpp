// SelfPace: the rate a little below that of the narrowest link on the way, which nobody knows: a little less
// than arrives while packets queue up before it, ever more while they do not. For who has all that it sends:
// one that passes on what it gets could never make up for a delay.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

namespace trellis {

class SelfPace {
  public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    // Of the connection, since its beginning.
    struct Seen {
        std::uint64_t arrived = 0;   // bytes
        std::uint64_t repeated = 0;  // segments
        Clock::duration round_trip{}, least_round_trip{};
    };

    // Bytes a second that may leave from now on; nothing: as many as before. To be asked every 50 ms or so: a
    // rate is taken over 0.4 s.
    std::optional<double> next(const Seen& seen, Time now);

  private:
    struct Sample {
        Time time;
        double value = 0;
    };
    void note(const Seen& seen, Time now);
    [[nodiscard]] bool queued(const Seen& seen);

    std::uint64_t repeated_ = 0;
    std::deque<Sample> arrivals_;  // bytes
    std::deque<Sample> rates_;     // bytes a second
    double gain_ = 1;
    bool limited_ = false;  // by a link: there has been a queue
    Time tried_{};          // to send faster although there was one
};

}  // namespace trellis
