#include "plugins/bcast/pace.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

using std::chrono::milliseconds;

TimePoint at(int time) {
    return TimePoint() + milliseconds(time);
}

// 100 bytes a second for two seconds, then 20.
Pace slowing() {
    Pace pace;
    for (int tenth = 1; tenth <= 40; ++tenth)
        pace.add(at(100 * tenth), tenth <= 20 ? 10 * tenth : 200 + 2 * (tenth - 20), milliseconds(3000));
    return pace;
}

TEST(BcastPace, HasTheRateOfTheTimeThatIsAskedFor) {
    const Pace pace = slowing();
    EXPECT_DOUBLE_EQ(pace.rate(at(1000), at(2000)), 100);
    EXPECT_DOUBLE_EQ(pace.rate(at(2000), at(4000)), 20);
    EXPECT_DOUBLE_EQ(pace.rate(at(1000), at(3000)), 60);
    EXPECT_EQ(pace.rate(at(1000), at(1000)), 0);
}

TEST(BcastPace, BetweenSamplesItIsBetweenTheirBytes) {
    const Pace pace = slowing();
    EXPECT_NEAR(pace.bytes_at(at(1550)), 155, 1e-9);
    EXPECT_EQ(pace.bytes_at(at(9000)), pace.bytes());
    EXPECT_EQ(pace.bytes_at(at(500)), 0);  // forgotten
}

TEST(BcastPace, KeepsASampleThatIsAsOldAsWhatIsKept) {
    const Pace pace = slowing();
    EXPECT_EQ(pace.begin(), at(1000));
    EXPECT_EQ(pace.before_end(milliseconds(850)), at(3100));
    EXPECT_EQ(pace.before_end(milliseconds(3000)), at(1000));
    EXPECT_EQ(pace.before_end(milliseconds(3001)), std::nullopt);
}

TEST(BcastPace, BeginsWithTheFirstBytesAndHeedsNoFewer) {
    Pace pace;
    pace.add(at(100), 0, milliseconds(3000));
    pace.add(at(200), 0, milliseconds(3000));
    EXPECT_EQ(pace.rate(at(100), at(200)), 0);
    EXPECT_EQ(pace.begin(), at(100));
    pace.add(at(300), 50, milliseconds(3000));
    EXPECT_EQ(pace.begin(), at(300));
    pace.add(at(400), 40, milliseconds(3000));
    EXPECT_EQ(pace.end(), at(300));
}

}  // namespace
}  // namespace trellis::plugins::bcast
