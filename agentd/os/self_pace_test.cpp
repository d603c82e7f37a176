#include "agentd/os/self_pace.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using Clock = SelfPace::Clock;
using Time = SelfPace::Time;

// A link behind a queue, to which a sender gives as much as it may, at most a multiple of what the link
// carries.
class PacedLink {
  public:
    PacedLink(double rate, double room, Clock::duration least) : rate_(rate), room_(room), least_(least) {}
    void carry(double rate) { rate_ = rate; }
    void give(double share) { given_ = share; }
    void delay(Clock::duration other) { other_ = other; }
    // What has arrived meanwhile, as a share of what the link can carry.
    double go(Clock::duration time) {
        const double before = arrived_, lost = lost_;
        for (const Time end = now_ + time; now_ < end; now_ += step)
            turn();
        lost_lately_ = lost_ - lost;
        return (arrived_ - before) / rate_ / std::chrono::duration<double>(time).count();
    }
    [[nodiscard]] double lost_lately() const { return lost_lately_; }

  private:
    static constexpr Clock::duration step = milliseconds(1);
    void turn() {
        const double seconds = std::chrono::duration<double>(step).count();
        queue_ += std::min(pace_, given_ * rate_) * seconds;
        const double through = std::min(queue_, rate_ * seconds);
        queue_ -= through;
        arrived_ += through;
        lost_ += std::max(queue_ - room_, 0.0);
        queue_ = std::min(queue_, room_);
        if (now_.time_since_epoch() % milliseconds(50) != Clock::duration::zero()) return;
        const auto waiting =
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(queue_ / rate_));
        const SelfPace::Seen seen{static_cast<std::uint64_t>(arrived_),
                                  static_cast<std::uint64_t>(lost_ / 1448), least_ + other_ + waiting,
                                  least_};
        const auto rate = pace_by_.next(seen, now_);
        pace_ = rate.value_or(pace_);
    }

    double rate_, room_;
    Clock::duration least_, other_{};
    SelfPace pace_by_;
    Time now_{};
    double pace_ = SelfPace::unlimited, given_ = 10;
    double queue_ = 0, arrived_ = 0, lost_ = 0, lost_lately_ = 0;
};

TEST(SelfPace, FillsShortAndLongWaysWithoutALongQueue) {
    for (PacedLink link :
         {PacedLink(25e6, 256e3, milliseconds(1)), PacedLink(125e6, 4e6, milliseconds(100))}) {
        (void)link.go(milliseconds(1000));
        EXPECT_GT(link.go(milliseconds(10000)), 0.96);
        EXPECT_EQ(link.lost_lately(), 0);
    }
}

TEST(SelfPace, FollowsALinkThatCarriesMoreOrLess) {
    PacedLink link(25e6, 256e3, milliseconds(1));
    (void)link.go(milliseconds(2000));
    link.carry(50e6);
    (void)link.go(milliseconds(10000));
    EXPECT_GT(link.go(milliseconds(5000)), 0.95);
    link.carry(10e6);
    (void)link.go(milliseconds(15000));
    EXPECT_GT(link.go(milliseconds(5000)), 0.95);
    EXPECT_EQ(link.lost_lately(), 0);
}

TEST(SelfPace, IsNoneWhereTheSenderHasLittleToSend) {
    PacedLink link(25e6, 256e3, milliseconds(1));
    (void)link.go(milliseconds(2000));
    link.give(0.05);
    (void)link.go(milliseconds(15000));
    link.give(10);
    EXPECT_GT(link.go(milliseconds(1000)), 0.95);
}

// It need not be its own queue.
TEST(SelfPace, DoesNotGiveInToADelayThatStays) {
    PacedLink link(25e6, 256e3, milliseconds(1));
    (void)link.go(milliseconds(1000));
    link.delay(milliseconds(20));
    (void)link.go(milliseconds(20000));
    EXPECT_GT(link.go(milliseconds(10000)), 0.9);
}

}  // namespace
}  // namespace trellis
