// ConnectionSigns: what the figures of a connection say of the links on its way: whether packets queue up
// before one of them, and how fast bytes arrive. Pure; owned by whoever paces the connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace trellis {

class ConnectionSigns {
  public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    // Of what leaves, where there is no queue, at each look.
    static constexpr double faster = 1.01;
    // What a trial to send faster gains at least, if it is to be made again soon.
    static constexpr double worth_trying = 1.03;

    // Since the connection's beginning.
    struct Seen {
        std::uint64_t arrived = 0;   // bytes
        std::uint64_t repeated = 0;  // segments
        Clock::duration round_trip{}, least_round_trip{};
    };

    // Since the last time, or now: a round trip takes longer than is usual without a queue.
    [[nodiscard]] bool queued(const Seen& seen, Clock::duration usual);
    // Bytes a second, over the last 0.4 s; nothing: it has not been asked for so long yet.
    [[nodiscard]] std::optional<double> rate(const Seen& seen, Time now);
    void forget_rate() { arrivals_.clear(); }

  private:
    struct Arrival {
        Time time;
        std::uint64_t bytes = 0;
    };

    std::uint64_t repeated_ = 0;
    std::deque<Arrival> arrivals_;
};

}  // namespace trellis
