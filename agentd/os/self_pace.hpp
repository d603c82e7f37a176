// SelfPace: the rate a little below that of the narrowest link on the way, which nobody knows: a little less
// than arrives while packets queue up before it, ever more while they do not. For who has all that it sends:
// one that passes on what it gets could never make up for a delay.
#pragma once

#include "agentd/os/connection_signs.hpp"

#include <chrono>
#include <deque>
#include <limits>
#include <optional>

namespace trellis {

class SelfPace {
  public:
    using Time = ConnectionSigns::Time;
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    // Bytes a second that may leave from now on; nothing: as many as before. To be asked every 50 ms or so: a
    // rate is taken over 0.4 s.
    std::optional<double> next(const ConnectionSigns::Seen& seen, Time now);

  private:
    struct Rate {
        Time time;
        double value = 0;  // bytes a second
    };
    static constexpr std::chrono::seconds first_interval{2};
    void note(const ConnectionSigns::Seen& seen, Time now);

    ConnectionSigns signs_;
    std::deque<Rate> rates_;
    double gain_ = 1;
    bool limited_ = false;    // by a link: there has been a queue
    Time tried_{};            // to send faster although there was one
    double best_before_ = 0;  // rate, when that was begun
    std::chrono::seconds interval_ = first_interval;
};

}  // namespace trellis
