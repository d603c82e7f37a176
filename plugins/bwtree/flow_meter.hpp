// FlowMeter: the rate of a flow, from a count of what has arrived of it that its sender looks at from time to
// time, in slots of fixed length from its beginning, so that the rates of flows that began together can be
// added slot by slot. Pure; owned by whoever sends the flow.
#pragma once

#include "trellis/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis::plugins::bwtree {

struct MeterSettings {
    Duration slot = std::chrono::milliseconds(10);
    Duration warm_up = std::chrono::milliseconds(50);  // while the sender's window grows; not in any slot
};

inline constexpr std::size_t slots_of_report = 5;
inline constexpr std::size_t slots_of_reading = 10;
inline constexpr std::size_t most_slots = 60;

// Until the last slot is over.
[[nodiscard]] constexpr Duration longest_time(const MeterSettings& settings) {
    return settings.warm_up + static_cast<int>(most_slots) * settings.slot;
}

class FlowMeter {
  public:
    FlowMeter(MeterSettings settings, TimePoint begin, std::uint64_t arrived)
        : settings_(settings), before_(begin), counted_(arrived), slot_begin_(begin + settings.warm_up) {}

    // How many bytes have arrived by now, which came evenly since the last time; where that is longer ago
    // than a reading, nobody knows when, and they count as nothing. Time never goes back, nor is a count
    // below an earlier one counted. True if there are rates to take.
    bool add(TimePoint now, std::uint64_t arrived);
    // The rates of the slots that have ended since the last time, in bytes per second.
    [[nodiscard]] std::vector<float> take();
    // All slots are over.
    [[nodiscard]] bool done() const { return taken_ + rates_.size() >= most_slots; }

  private:
    MeterSettings settings_;
    TimePoint before_;  // of the last count
    std::uint64_t counted_;
    TimePoint slot_begin_;
    double bytes_ = 0;  // in the slot
    std::vector<float> rates_;
    std::size_t taken_ = 0;
};

}  // namespace trellis::plugins::bwtree
