#include "agentd/os/rising_pace.hpp"

#include "agentd/os/paced_link_test.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;

PacedLink<RisingPace> link_of(double rate, double measured) {
    return {rate, 256e3, milliseconds(1), RisingPace(measured), measured};
}

TEST(RisingPace, FillsALinkThatWasMeasuredTooLow) {
    for (const double measured : {2.5e6, 12.5e6, 22e6}) {
        auto link = link_of(25e6, measured);
        (void)link.go(milliseconds(20000));
        EXPECT_GT(link.go(milliseconds(10000)), 0.93) << measured;
        EXPECT_EQ(link.lost_lately(), 0) << measured;
    }
}

// As where the other end's own packets are before its acknowledgements.
TEST(RisingPace, RisesWhereEveryRoundTripIsLong) {
    auto link = link_of(25e6, 22e6);
    link.delay(milliseconds(8));
    (void)link.go(milliseconds(20000));
    EXPECT_GT(link.go(milliseconds(10000)), 0.93);
    EXPECT_EQ(link.lost_lately(), 0);
}

TEST(RisingPace, StaysAtWhatWasMeasuredRight) {
    auto link = link_of(25e6, 0.98 * 25e6);
    for (int second = 0; second < 60; ++second) {
        const double carried = link.go(milliseconds(1000));
        EXPECT_GT(carried, 0.979);
        EXPECT_EQ(link.lost_lately(), 0);
    }
    EXPECT_LT(link.go(milliseconds(10000)), 0.985);  // it is hardly tried any more
}

TEST(RisingPace, ComesBackToWhatWasMeasuredWhereTheLinkCarriesNoMore) {
    auto link = link_of(25e6, 10e6);
    (void)link.go(milliseconds(20000));
    link.carry(10.2e6);
    (void)link.go(milliseconds(10000));
    EXPECT_GT(link.go(milliseconds(10000)), 0.97);
    EXPECT_EQ(link.lost_lately(), 0);
}

TEST(RisingPace, DoesNotRiseWhereLessIsSent) {
    auto link = link_of(25e6, 10e6);
    link.give(0.3);
    (void)link.go(milliseconds(20000));
    link.give(10);
    EXPECT_LT(link.go(milliseconds(300)), 0.41);
}

}  // namespace
}  // namespace trellis
