// ReceiveWindow: bounds what a sender may have under way to this end by what the way holds and a switch's
// queue is likely to take, as far as the rate shows it; the system would let it have megabytes. Where a queue
// overflows, all that comes after what was lost has to wait for it, and who passes it on has nothing to send
// meanwhile. Owned by the receiving stream; nothing where it is another kind of socket.
#pragma once

#include <chrono>
#include <cstddef>

namespace trellis {

class ReceiveWindow {
  public:
    using Clock = std::chrono::steady_clock;

    // To be called when bytes were read.
    void received(int socket, std::size_t bytes, Clock::time_point now = Clock::now());
    // Bytes that may be under way; `rate`: the highest so far, in bytes a second.
    [[nodiscard]] static double enough(double rate, Clock::duration least_round_trip);

  private:
    Clock::time_point set_{}, since_{};
    double bytes_ = 0;    // since `since_`
    double highest_ = 0;  // rate
};

}  // namespace trellis
