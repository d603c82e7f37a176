#include "plugins/bwtree/flow_meter.hpp"

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TimePoint at(Duration since_begin) {
    return TimePoint{} + since_begin;
}

// What a flow of a steady rate (bytes per second) has brought.
std::uint64_t brought(Duration time, double rate) {
    return static_cast<std::uint64_t>(rate * std::chrono::duration<double>(time).count());
}

TEST(FlowMeter, EverySlotOfASteadyFlowIsExactHoweverLateItIsLookedAt) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> late(0, 9000);
    for (const double rate : {1.25e6, 1.25e7, 1.25e8, 1.25e9}) {
        FlowMeter meter({}, TimePoint{}, 0);
        for (int i = 1; !meter.done(); ++i) {
            const Duration now = i * milliseconds(10) + microseconds(late(random));
            meter.add(at(now), brought(now, rate));
            for (const float slot : meter.take())
                EXPECT_NEAR(slot, rate, 1e-4 * rate);
        }
    }
}

TEST(FlowMeter, WhatComesDuringTheWarmUpIsInNoSlot) {
    FlowMeter meter({}, TimePoint{}, 7000);
    EXPECT_FALSE(meter.add(at(milliseconds(50)), 50'000'000));
    EXPECT_TRUE(meter.add(at(milliseconds(100)), 50'500'000));
    EXPECT_EQ(meter.take(), std::vector<float>(slots_of_report, 1e7F));
}

TEST(FlowMeter, BytesAreInTheSlotsInWhichTheyCame) {
    FlowMeter meter({milliseconds(10), milliseconds(0)}, TimePoint{}, 100);
    EXPECT_FALSE(meter.add(at(milliseconds(5)), 2100));
    EXPECT_FALSE(meter.add(at(milliseconds(25)), 6100));
    EXPECT_TRUE(meter.add(at(milliseconds(50)), 6100));
    EXPECT_EQ(meter.take(), (std::vector<float>{3e5F, 2e5F, 1e5F, 0, 0}));
}

// They may have come long before.
TEST(FlowMeter, WhatCameWhileItsSenderStoodStillCountsAsNothing) {
    FlowMeter meter({milliseconds(10), milliseconds(0)}, TimePoint{}, 0);
    EXPECT_TRUE(meter.add(at(milliseconds(110)), 1'000'000));
    EXPECT_TRUE(meter.add(at(milliseconds(120)), 1'010'000));
    std::vector<float> expected(11, 0);
    expected.push_back(1e6F);
    EXPECT_EQ(meter.take(), expected);
}

// As a count that supposes whole segments has it when the gap before them closes.
TEST(FlowMeter, ACountThatFallsTakesNothingAway) {
    FlowMeter meter({milliseconds(10), milliseconds(0)}, TimePoint{}, 0);
    meter.add(at(milliseconds(10)), 10'000);
    meter.add(at(milliseconds(20)), 9'900);
    EXPECT_TRUE(meter.add(at(milliseconds(50)), 10'000));
    EXPECT_EQ(meter.take(), (std::vector<float>{1e6F, 0, 0, 0, 0}));
}

TEST(FlowMeter, EndsAfterItsLastSlot) {
    FlowMeter meter({}, TimePoint{}, 0);
    std::size_t slots = 0;
    Duration now{0};
    while (!meter.done()) {
        now += milliseconds(7);
        if (meter.add(at(now), brought(now, 1e7))) slots += meter.take().size();
    }
    EXPECT_EQ(slots, most_slots);
    EXPECT_LT(now - longest_time({}), milliseconds(7));
    meter.add(at(2 * now), brought(2 * now, 1e7));
    EXPECT_TRUE(meter.take().empty());
}

}  // namespace
}  // namespace trellis::plugins::bwtree
