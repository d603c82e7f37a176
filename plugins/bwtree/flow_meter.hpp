// FlowMeter: the rate of a flow, by the clock of the host that takes it: bytes counted in slots, until the
// last slots are steady or the time is over. Pure; owned by whoever takes the flow.
#pragma once

#include "trellis/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis::plugins::bwtree {

struct MeterSettings {
    Duration slot = std::chrono::milliseconds(10);
    Duration warm_up = std::chrono::milliseconds(50);  // while the sender's window grows
    Duration most = std::chrono::milliseconds(500);
};

// Of the bytes that were handed over, in bytes per second.
struct MeterReading {
    double rate = 0;
    double standard_error = 0;
};

class FlowMeter {
  public:
    // The first bytes begin the first slot, at `begin`, and are not counted.
    FlowMeter(MeterSettings settings, TimePoint begin) : settings_(settings), begin_(begin), mark_(begin) {}

    // At least one byte; time never goes back.
    void add(TimePoint now, std::size_t bytes);
    // Steady, or long enough.
    [[nodiscard]] bool done() const { return done_; }
    // Over the last slots, or all that there are; of rate 0 if there is none.
    [[nodiscard]] MeterReading reading() const;
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  private:
    // A slot ends with the bytes that come first after its time: so its length is exact.
    struct Slot {
        double bytes = 0;
        double seconds = 0;
    };
    [[nodiscard]] MeterReading over(std::size_t slots) const;
    [[nodiscard]] bool steady() const;

    MeterSettings settings_;
    TimePoint begin_;
    TimePoint mark_;  // end of the last slot
    std::vector<Slot> slots_;
    double unfinished_ = 0;
    std::uint64_t bytes_ = 0;
    bool done_ = false;
};

}  // namespace trellis::plugins::bwtree
