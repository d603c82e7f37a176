#include "plugins/bwtree/forecast.hpp"

#include "plugins/bwtree/flow_timing.hpp"

#include <optional>
#include <span>
#include <utility>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

class OneRound final : public MeasuringPlan {
  public:
    explicit OneRound(Round round) : round_(std::move(round)) {}
    [[nodiscard]] std::optional<Round> next() override { return std::exchange(round_, std::nullopt); }
    void take(std::span<const FlowRate>) override {}
    void leave_out(TopologyNode) override {}
    void take_back(TopologyNode) override {}
    [[nodiscard]] TopologyBandwidth result() const override { return {}; }

  private:
    std::optional<Round> round_;
};

// a, b and c near the switch, d far away: while a group has a flow to d, its other flows go on as well.
TEST(Forecast, AllFlowsOfAGroupAreMeasuredAsLongAsTheFarthestOne) {
    Topology tree;
    tree.hosts = {"a", "b", "c", "d"};
    tree.switches = {"s"};
    constexpr Delay near = std::chrono::microseconds(10), far = std::chrono::milliseconds(50);
    for (TopologyNode host = 0; host < 4; ++host)
        tree.links.push_back({host, 4, host == 3 ? far : near});
    OneRound together({{0, 1, 0}, {2, 3, 0}}), apart({{0, 1, 0}, {2, 3, 1}});
    const Forecast one = foretold(tree, nullptr, together), two = foretold(tree, nullptr, apart);
    const auto bytes = [](Delay round_trip) {
        const Duration time = longest_time(timing_for(round_trip, 1).meter);
        return static_cast<std::uint64_t>(1e9 / 8 * std::chrono::duration<double>(time).count());
    };
    EXPECT_EQ(one.bytes, 2 * bytes(2 * (near + far)));
    EXPECT_EQ(two.bytes, bytes(4 * near) + bytes(2 * (near + far)));
    EXPECT_EQ(one.seconds, two.seconds);
}

}  // namespace
}  // namespace trellis::plugins::bwtree
