// PairWindow: how many pairs a host measures at the same time, so that all hosts together do not send more
// than their processors and the network carry. It grows by one with each pair whose round trips are prompt,
// and halves with one whose are late (Chiu, Jain 1989: additive increase, multiplicative decrease). Pure;
// owned by the role of one host, for one inference.
#pragma once

#include "trellis/time.hpp"

namespace trellis::plugins::infer {

class PairWindow {
  public:
    // A pair measured from `begun` to `now`. `delay`: of one round trip, beyond the least. What was begun
    // before the window was halved does not halve it again.
    void ended(TimePoint begun, TimePoint now, Duration delay);
    // At the same time; at least one.
    [[nodiscard]] int pairs() const;
    // Less than one pair at a time: pause for so long after one whose round trips took `probing` in all.
    [[nodiscard]] Duration rest(Duration probing) const;

  private:
    double size_ = 4;
    TimePoint halved_{};
};

}  // namespace trellis::plugins::infer
