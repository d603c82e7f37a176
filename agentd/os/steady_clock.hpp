// SteadyClock: the real Clock, over the machine's monotonic clock. Owned by main.cpp; keeps no state.
#pragma once

#include "trellis/clock.hpp"

namespace trellis {

class SteadyClock : public Clock {
  public:
    [[nodiscard]] TimePoint now() const override;
    Task<void> sleep_until(TimePoint when) override;
};

}  // namespace trellis
