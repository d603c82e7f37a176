// Clock: the seam through which every wait goes. Owned by main.cpp or by the simulated world, outlives all
// users.
#pragma once

#include "trellis/task.hpp"
#include "trellis/time.hpp"

namespace trellis {

class Clock {
  public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual TimePoint now() const = 0;
    // Returns at `when` or at once if it has passed. Honours asio cancellation (throws operation_aborted).
    virtual Task<void> sleep_until(TimePoint when) = 0;

    Task<void> sleep(Duration duration) { return sleep_until(now() + duration); }
};

}  // namespace trellis
