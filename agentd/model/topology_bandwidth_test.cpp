#include "agentd/model/topology_bandwidth.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

LinkBandwidth measured(double rate) {
    return {LinkBandwidth::Kind::measured, rate, 1};
}

// a and b at one switch, c behind another one.
TopologyBandwidth tree() {
    TopologyBandwidth tree;
    tree.topology.hosts = {"a", "b", "c"};
    tree.topology.switches = {"s0", "s1"};
    tree.topology.links = {{0, 3, Delay(25)}, {1, 3, Delay(25)}, {2, 4, Delay(25)}, {3, 4, Delay(50)}};
    tree.links = {{measured(900), measured(800)},
                  {measured(700), measured(600)},
                  {measured(100), measured(500)},
                  {LinkBandwidth{}, LinkBandwidth{LinkBandwidth::Kind::at_least, 50, 0}}};
    return tree;
}

TEST(TopologyBandwidth, TheSlowestLinkOfAChainIsTheLeastOfThoseMeasuredOnItsWays) {
    EXPECT_EQ(slowest_measured_link(tree(), {"a", "b"}), 600);
    EXPECT_EQ(slowest_measured_link(tree(), {"b", "a"}), 700);
    EXPECT_EQ(slowest_measured_link(tree(), {"a", "b", "c"}), 500);
    EXPECT_EQ(slowest_measured_link(tree(), {"c", "a", "b"}), 100);
}

TEST(TopologyBandwidth, LinksThatMayBeAsSlowAsTheSlowestCountTogether) {
    TopologyBandwidth alike = tree();
    alike.links[1] = {measured(599), measured(597)};
    alike.links[2] = {measured(100), measured(602)};
    EXPECT_EQ(slowest_measured_link(alike, {"a", "b", "c"}), 598);
}

TEST(TopologyBandwidth, HostsThatItDoesNotKnowArePassedOver) {
    EXPECT_EQ(slowest_measured_link(tree(), {"x", "a", "y", "b", "b"}), 600);
    EXPECT_EQ(slowest_measured_link(tree(), {"a", "x"}), 0);
    EXPECT_EQ(slowest_measured_link({}, {"a", "b"}), 0);
}

}  // namespace
}  // namespace trellis
