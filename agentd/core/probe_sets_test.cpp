#include "agentd/core/probe_sets.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::microseconds;

TEST(ProbeSets, ASetEndsAfterTenWithoutANewMinimum) {
    ProbeSets sets{ProbePlan{}};
    EXPECT_FALSE(sets.add(microseconds(90)));
    EXPECT_FALSE(sets.add(microseconds(80)));
    for (int i = 0; i < 9; ++i)
        EXPECT_FALSE(sets.add(microseconds(80)));
    EXPECT_TRUE(sets.add(microseconds(85)));
    EXPECT_EQ(sets.result().minima, std::vector<Duration>{microseconds(80)});
    EXPECT_EQ(sets.result().round_trips, 12);
}

TEST(ProbeSets, ASetHasAtMostThirty) {
    ProbeSets sets{ProbePlan{}};
    for (int i = 0; i < 29; ++i)
        EXPECT_FALSE(sets.add(microseconds(100 - i)));
    EXPECT_TRUE(sets.add(microseconds(50)));
    EXPECT_FALSE(sets.complete());
}

TEST(ProbeSets, ThreeSetsAreComplete) {
    ProbeSets sets{ProbePlan{}};
    int ended = 0;
    while (!sets.complete())
        ended += sets.add(microseconds(100 + ended)) ? 1 : 0;
    EXPECT_EQ(ended, 3);
    const std::vector<Duration> minima{microseconds(100), microseconds(101), microseconds(102)};
    EXPECT_EQ(sets.result().minima, minima);
    EXPECT_EQ(sets.result().round_trips, 33);
}

}  // namespace
}  // namespace trellis
