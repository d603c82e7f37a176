#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t piece = 16384;

// Pieces at a rate (bytes per second) that depends on the time, until the meter is done; how long that took.
Duration feed(FlowMeter& meter, const std::function<double(double seconds)>& rate) {
    const TimePoint begin{};
    TimePoint now = begin;
    while (!meter.done() && now - begin < std::chrono::seconds(20)) {
        const double seconds = std::chrono::duration<double>(now - begin).count();
        now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(piece / rate(seconds)));
        meter.add(now, piece);
    }
    return now - begin;
}

TEST(FlowMeter, EndsSoonWhenTheFlowIsSteadyWhateverItsRate) {
    for (const double rate : {1.25e6, 1.25e7, 1.25e8, 1.25e9}) {
        FlowMeter meter({}, TimePoint{});
        EXPECT_LE(feed(meter, [&](double) { return rate; }), milliseconds(500)) << rate;
        EXPECT_NEAR(meter.reading().rate, rate, 0.005 * rate);
        EXPECT_LT(meter.reading().standard_error, 0.01 * rate);
    }
}

TEST(FlowMeter, SlowStartDoesNotCount) {
    FlowMeter meter({}, TimePoint{});
    const auto growing = [](double seconds) { return 1e8 * std::min(1.0, 0.05 + seconds / 0.15); };
    EXPECT_GE(feed(meter, growing), milliseconds(200));
    EXPECT_NEAR(meter.reading().rate, 1e8, 0.03 * 1e8);
}

TEST(FlowMeter, AFlowThatNeverIsSteadyEndsAndSaysHowUnsureItIs) {
    FlowMeter meter({}, TimePoint{});
    const auto swinging = [](double seconds) { return static_cast<int>(seconds / 0.03) % 2 ? 3e7 : 1.7e8; };
    EXPECT_GE(feed(meter, swinging), milliseconds(500));
    EXPECT_NEAR(meter.reading().rate, 1e8, 0.25 * 1e8);
    EXPECT_GT(meter.reading().standard_error, 0.05 * 1e8);
}

TEST(FlowMeter, KnowsNoRateOfWhatIsTooShort) {
    FlowMeter meter({}, TimePoint{});
    EXPECT_EQ(meter.reading().rate, 0);
    meter.add(TimePoint{} + microseconds(10), 1000);
    EXPECT_EQ(meter.reading().rate, 0);
    EXPECT_EQ(meter.bytes(), 1000u);
}

}  // namespace
}  // namespace trellis::plugins::bwtree
