#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t piece = 16384;

// Pieces at a rate (bytes per second) that depends on the time, until there is something to take; when.
Duration feed(FlowMeter& meter, const std::function<double(double seconds)>& rate) {
    const TimePoint begin{};
    TimePoint now = begin;
    do {
        const double seconds = std::chrono::duration<double>(now - begin).count();
        now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(piece / rate(seconds)));
    } while (!meter.add(now, piece));
    return now - begin;
}

TEST(FlowMeter, EverySlotOfASteadyFlowIsExactWhateverItsRate) {
    for (const double rate : {1.25e5, 1.25e6, 1.25e7, 1.25e8, 1.25e9}) {
        FlowMeter meter({}, TimePoint{});
        const Duration taken = feed(meter, [&](double) { return rate; });
        EXPECT_GE(taken, milliseconds(150));
        EXPECT_LE(taken, milliseconds(400));
        for (const float slot : meter.take())
            EXPECT_NEAR(slot, rate, 1e-4 * rate);
    }
}

TEST(FlowMeter, WhatComesDuringTheWarmUpIsInNoSlot) {
    FlowMeter meter({}, TimePoint{});
    feed(meter, [](double seconds) { return seconds < 0.05 ? 1e9 : 1e7; });
    const auto slots = meter.take();
    EXPECT_NEAR(*std::ranges::max_element(slots), 1e7, 1e6);
}

TEST(FlowMeter, BytesAreInTheSlotsInWhichTheyCame) {
    FlowMeter meter({milliseconds(10), milliseconds(0)}, TimePoint{});
    EXPECT_FALSE(meter.add(TimePoint{} + milliseconds(5), 1000));
    EXPECT_FALSE(meter.add(TimePoint{} + milliseconds(5), 1000));
    EXPECT_FALSE(meter.add(TimePoint{} + milliseconds(25), 4000));
    EXPECT_FALSE(meter.add(TimePoint{} + milliseconds(105), 800));
    EXPECT_TRUE(meter.add(TimePoint{} + milliseconds(106), 800));
    const auto slots = meter.take();
    ASSERT_EQ(slots.size(), 10u);
    EXPECT_FLOAT_EQ(slots[0], 3e5F);  // 2000, and a quarter of the next 4000
    EXPECT_FLOAT_EQ(slots[1], 2e5F);
    EXPECT_FLOAT_EQ(slots[9], 1e4F);
}

// As a reader sees it that gets 40 ms of a flow at once when a lost packet has come again.
TEST(FlowMeter, WhatWasHeldUpCountsAsIfItHadNotBeen) {
    constexpr double rate = 1e7;
    FlowMeter meter({}, TimePoint{});
    TimePoint now{};
    for (int i = 0; i < 300; ++i) {
        const bool held_up = i > 30 && i < 55;  // of pieces of 1.6 ms
        now += held_up ? Duration(std::chrono::microseconds(5))
                       : std::chrono::duration_cast<Duration>(std::chrono::duration<double>(piece / rate));
        if (i == 30)
            now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(24 * piece / rate));
        meter.add(now, piece);
        for (const float slot : meter.take())
            EXPECT_NEAR(slot, rate, 0.01 * rate);
    }
}

TEST(FlowMeter, EndsAfterItsLastSlot) {
    FlowMeter meter({}, TimePoint{});
    std::size_t slots = 0;
    TimePoint now{};
    while (!meter.done()) {
        now += milliseconds(1);
        if (meter.add(now, piece)) slots += meter.take().size();
    }
    EXPECT_EQ(now, TimePoint{} + longest_time({}) + milliseconds(1));
    EXPECT_EQ(slots, most_slots);
}

}  // namespace
}  // namespace trellis::plugins::bwtree
