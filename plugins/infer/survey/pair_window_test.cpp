#include "plugins/infer/survey/pair_window.hpp"

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Pairs one after the other, each of 100 ms.
class PairWindowTest : public testing::Test {
  protected:
    void end(int pairs, Duration delay) {
        for (int i = 0; i < pairs; ++i) {
            const TimePoint begun = now_;
            now_ += milliseconds(100);
            window_.ended(begun, now_, delay);
        }
    }
    PairWindow window_;
    TimePoint now_{seconds(1)};
};

constexpr Duration brisk = milliseconds(1);
constexpr Duration sluggish = milliseconds(50);

TEST_F(PairWindowTest, GrowsByOneWithEachPromptPair) {
    const int before = window_.pairs();
    end(12, brisk);
    EXPECT_EQ(window_.pairs(), before + 12);
    EXPECT_EQ(window_.rest(seconds(1)), Duration::zero());
}

TEST_F(PairWindowTest, LatePairsThatWereUnderWayTogetherHalveItOnce) {
    end(12, brisk);
    const int before = window_.pairs();
    const TimePoint begun = now_;
    for (int i = 0; i < before; ++i)
        window_.ended(begun, now_ + milliseconds(1 + i), sluggish);
    EXPECT_EQ(window_.pairs(), before / 2);
    window_.ended(now_ + milliseconds(2), now_ + milliseconds(100), sluggish);
    EXPECT_EQ(window_.pairs(), before / 4);
}

TEST_F(PairWindowTest, BelowOneItRestsInProportionButNeverLong) {
    end(3, sluggish);  // from 4 to a half
    EXPECT_EQ(window_.pairs(), 1);
    EXPECT_EQ(window_.rest(milliseconds(200)), milliseconds(200));
    end(20, sluggish);
    EXPECT_EQ(window_.pairs(), 1);
    EXPECT_EQ(window_.rest(milliseconds(20)), milliseconds(140));
    EXPECT_EQ(window_.rest(seconds(2)), seconds(1));
}

TEST_F(PairWindowTest, OnePromptPairEndsTheRests) {
    end(20, sluggish);
    end(1, brisk);
    EXPECT_EQ(window_.rest(seconds(1)), Duration::zero());
}

}  // namespace
}  // namespace trellis::plugins::infer
