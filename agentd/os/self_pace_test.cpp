#include "agentd/os/self_pace.hpp"

#include "agentd/os/paced_link_test.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;

using SelfPacedLink = PacedLink<SelfPace>;

TEST(SelfPace, FillsShortAndLongWaysWithoutALongQueue) {
    for (SelfPacedLink link :
         {SelfPacedLink(25e6, 256e3, milliseconds(1)), SelfPacedLink(125e6, 4e6, milliseconds(100))}) {
        (void)link.go(milliseconds(1000));
        EXPECT_GT(link.go(milliseconds(10000)), 0.96);
        EXPECT_EQ(link.lost_lately(), 0);
    }
}

TEST(SelfPace, FollowsALinkThatCarriesMoreOrLess) {
    SelfPacedLink link(25e6, 256e3, milliseconds(1));
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
    SelfPacedLink link(25e6, 256e3, milliseconds(1));
    (void)link.go(milliseconds(2000));
    link.give(0.05);
    (void)link.go(milliseconds(15000));
    link.give(10);
    EXPECT_GT(link.go(milliseconds(1000)), 0.95);
}

// It need not be its own queue.
TEST(SelfPace, DoesNotGiveInToADelayThatStays) {
    SelfPacedLink link(25e6, 256e3, milliseconds(1));
    (void)link.go(milliseconds(1000));
    link.delay(milliseconds(20));
    (void)link.go(milliseconds(20000));
    EXPECT_GT(link.go(milliseconds(24000)), 0.98);
    EXPECT_LT(link.lost_lately(), 2e6);  // as it seldom tries to send faster
}

TEST(SelfPace, IsSoonUpAfterASlowBeginningWithADelayThatStays) {
    SelfPacedLink link(10e6, 256e3, milliseconds(1));
    link.delay(milliseconds(20));
    (void)link.go(milliseconds(1000));
    link.carry(25e6);
    (void)link.go(milliseconds(12000));
    EXPECT_GT(link.go(milliseconds(5000)), 0.9);
}

}  // namespace
}  // namespace trellis
