// RisingPace: a rate that was measured once, and more where the way turns out to carry more: where all that
// may leave arrives and no queue grows, a little more is tried now and then, the less often the less that has
// been of use. Never less than what was measured. That round trips are long tells nothing: what acknowledges
// may wait behind what the other end sends itself.
#pragma once

#include "agentd/os/connection_signs.hpp"

#include <chrono>
#include <optional>

namespace trellis {

class RisingPace {
  public:
    using Time = ConnectionSigns::Time;

    // Bytes a second.
    explicit RisingPace(double measured) : measured_(measured), settled_(measured), rate_(measured) {}

    // Bytes a second that may leave from now on. To be asked every 50 ms or so.
    std::optional<double> next(const ConnectionSigns::Seen& seen, Time now);

  private:
    static constexpr std::chrono::seconds first_interval{2};
    void settle(double arriving, Time now);
    [[nodiscard]] bool queue_grows(const ConnectionSigns::Seen& seen);

    ConnectionSigns signs_;
    double measured_, settled_;
    double rate_;  // above the settled one: more is tried
    std::optional<Time> settled_since_;
    std::optional<ConnectionSigns::Clock::duration> usual_;  // round trip, at the settled rate
    int queued_for_ = 0;                                     // looks
    std::chrono::seconds interval_ = first_interval;
};

}  // namespace trellis
