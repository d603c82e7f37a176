// FlowMeter: the rate of a flow, by the clock of the host that takes it, in slots of fixed length from its
// beginning, so that the rates of flows that began together can be added slot by slot. What comes at once, as
// it does when a lost packet has been sent again that had held up all behind it, counts as having come evenly
// since what came before. Pure; owned by whoever takes the flow.
#pragma once

#include "trellis/time.hpp"

#include <cstddef>
#include <vector>

namespace trellis::plugins::bwtree {

struct MeterSettings {
    Duration slot = std::chrono::milliseconds(10);
    Duration warm_up = std::chrono::milliseconds(50);  // while the sender's window grows; not in any slot
};

inline constexpr std::size_t slots_of_reading = 10;
inline constexpr std::size_t most_slots = 60;

// Until the last slot is over.
[[nodiscard]] constexpr Duration longest_time(const MeterSettings& settings) {
    return settings.warm_up + static_cast<int>(most_slots) * settings.slot;
}

class FlowMeter {
  public:
    // The first bytes have come at `begin` and are not counted.
    FlowMeter(MeterSettings settings, TimePoint begin)
        : settings_(settings),
          before_(begin),
          first_(begin),
          last_(begin),
          slot_begin_(begin + settings.warm_up) {}

    // Time never goes back. Bytes count when the next ones have come behind them. True if there is a reading
    // to take.
    bool add(TimePoint now, std::size_t bytes);
    // The rates of the slots that have ended since the last time, in bytes per second.
    [[nodiscard]] std::vector<float> take();
    // All slots are over.
    [[nodiscard]] bool done() const { return taken_ + rates_.size() >= most_slots; }

  private:
    void spread();

    MeterSettings settings_;
    TimePoint before_;        // the last bytes of what came at once before
    TimePoint first_, last_;  // of what comes at once now
    double burst_ = 0;        // bytes of that
    TimePoint slot_begin_;
    double bytes_ = 0;  // in the slot
    std::vector<float> rates_;
    std::size_t taken_ = 0;
};

}  // namespace trellis::plugins::bwtree
