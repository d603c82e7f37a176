#include "plugins/bcast/slackening.hpp"

#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

// What comes at so much a tick, in so many ticks; in how many of them it is said to slacken.
class Coming {
  public:
    int go(double rate, int ticks) {
        int said = 0;
        for (; ticks > 0; --ticks)
            said += slackening_.slackens(bytes_ += rate) ? 1 : 0;
        return said;
    }

  private:
    Slackening slackening_;
    double bytes_ = 0;
};

TEST(BcastSlackening, IsSaidSoonAndUntilItIsNoNews) {
    Coming coming;
    EXPECT_EQ(coming.go(100, 30), 0);
    EXPECT_EQ(coming.go(25, 2), 0);
    EXPECT_GE(coming.go(25, 10), 9);
    EXPECT_LE(coming.go(25, 100), 8);
    EXPECT_EQ(coming.go(25, 100), 0);
}

TEST(BcastSlackening, IsSaidOfWhatEndsToo) {
    Coming coming;
    EXPECT_EQ(coming.go(100, 8), 0);
    EXPECT_GE(coming.go(0, 10), 8);
    EXPECT_GE(coming.go(0, 12), 10);
    EXPECT_EQ(coming.go(0, 20), 0);
}

TEST(BcastSlackening, IsNotSaidOfWhatGoesUpAndDown) {
    Coming coming;
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(coming.go(50, 2) + coming.go(100, 2), 0) << i;
    EXPECT_EQ(coming.go(0, 1) + coming.go(300, 10), 0);
}

}  // namespace
}  // namespace trellis::plugins::bcast
