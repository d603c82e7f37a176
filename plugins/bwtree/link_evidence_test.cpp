#include "plugins/bwtree/link_evidence.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

using Kind = LinkBandwidth::Kind;

// Three hosts at one switch: link i is that of host i, 2 i leads to the switch.
Topology three_hosts() {
    Topology tree;
    tree.hosts = {"a", "b", "c"};
    tree.switches = {"s"};
    for (TopologyNode host = 0; host < 3; ++host)
        tree.links.push_back({host, 3, Delay{10}});
    return tree;
}

// A turn of one link.
void add_turn(LinkEvidence& evidence, DirectedLink target, const std::vector<Flow>& flows,
              const std::vector<FlowRate>& rates) {
    evidence.add(std::vector<DirectedLink>{target}, flows, rates);
}

TEST(LinkEvidence, OnePairCannotTellWhichOfTwoLinksIsFull) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 0, {{0, 1, 0}}, {{9e8, 1e6}});
    EXPECT_EQ(evidence.known(0), (LinkBandwidth{Kind::at_least, 8.99e8, 0}));
    EXPECT_EQ(evidence.known(3), (LinkBandwidth{Kind::at_least, 8.99e8, 0}));
    EXPECT_EQ(evidence.known(1).kind, Kind::not_measured);
}

const std::vector<Flow> from_a{{0, 1, 0}, {0, 2, 0}};

TEST(LinkEvidence, WhatIsSeenLaterDecidesWhatWasOpen) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 0, from_a, {{5e8, 3e6}, {4e8, 4e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::at_least);
    add_turn(evidence, 5, {{2, 1, 0}}, {{1e9, 1e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::measured);  // 1 Gbit/s and 400 Mbit/s were at hand
    EXPECT_NEAR(evidence.known(0).bits_per_second, 9e8, 1);
    EXPECT_NEAR(evidence.known(0).standard_error, 5e6, 1);
    EXPECT_EQ(evidence.known(3).kind, Kind::at_least);
}

TEST(LinkEvidence, WhatWasNotSteadyIsMeasuredAgain) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 5, {{2, 1, 0}}, {{1e9, 1e6}});
    add_turn(evidence, 0, from_a, {{3.5e8, 3e7}, {3.5e8, 4e7}});
    EXPECT_EQ(evidence.known(0).kind, Kind::at_least);  // 700 Mbit/s, 50 more or less
    add_turn(evidence, 0, from_a, {{4.5e8, 3e6}, {4.5e8, 4e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::measured);
    EXPECT_NEAR(evidence.known(0).bits_per_second, 9e8, 1);
}

TEST(LinkEvidence, WhereLittleMoreWasAtHandASecondTurnMustAgree) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 5, {{2, 1, 0}}, {{8e8, 1e6}});
    add_turn(evidence, 0, from_a, {{5e8, 3e6}, {4e8, 4e6}});
    add_turn(evidence, 0, from_a, {{4.6e8, 3e6}, {4.6e8, 4e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::measured);
    EXPECT_NEAR(evidence.known(0).bits_per_second, 9.1e8, 1e6);
}

// One of its hosts, or the machine below it, may have stood still.
TEST(LinkEvidence, AFigureIsNoSurerThanItsTurnsAgree) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 5, {{1, 2, 0}}, {{6e8, 1e6}});
    add_turn(evidence, 3, {{2, 1, 0}}, {{7e8, 1e6}});
    add_turn(evidence, 0, from_a, {{5e8, 1e6}, {5e8, 1e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::at_least);
    add_turn(evidence, 0, from_a, {{4.6e8, 1e6}, {4.6e8, 1e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::measured);
    EXPECT_NEAR(evidence.known(0).bits_per_second, 9.6e8, 1);
    EXPECT_NEAR(evidence.known(0).standard_error, 4e7, 1);
}

TEST(LinkEvidence, ALinkThatIsSlowerThanMostMustBeSeenTwice) {
    const DirectedPaths paths(three_hosts());
    for (const double second : {1.5e8, 4.5e8}) {
        LinkEvidence evidence(paths);
        add_turn(evidence, 5, {{2, 1, 0}}, {{9e8, 1e6}});
        add_turn(evidence, 3, {{1, 2, 0}}, {{9e8, 1e6}});
        add_turn(evidence, 0, from_a, {{1.5e8, 1e6}, {1.5e8, 1e6}});
        EXPECT_EQ(evidence.known(0).kind, Kind::at_least);
        add_turn(evidence, 0, from_a, {{second, 1e6}, {second, 1e6}});
        EXPECT_EQ(evidence.known(0).kind, Kind::measured);
        EXPECT_NEAR(evidence.known(0).bits_per_second, 2 * second, 1);
    }
}

TEST(LinkEvidence, FlowsThatWereSlowForAnotherReasonMakeNoFigure) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 5, {{2, 1, 0}}, {{5e8, 1e6}});
    add_turn(evidence, 5, {{1, 2, 0}}, {{5e8, 1e6}});
    add_turn(evidence, 0, from_a, {{5e8, 3e6}, {3.5e8, 4e6}});  // 1 Gbit/s was at hand, not clearly more
    EXPECT_EQ(evidence.known(0), (LinkBandwidth{Kind::at_least, 8.45e8, 0}));
    add_turn(evidence, 0, from_a, {{3.5e8, 3e6}, {3e8, 4e6}});  // far below what it has carried
    EXPECT_EQ(evidence.known(0), (LinkBandwidth{Kind::at_least, 8.45e8, 0}));
}

// Full loads with 1 Gbit/s at hand and control loads with half of it.
void add_controls(LinkEvidence& evidence, double full, double reduced) {
    add_turn(evidence, 5, {{2, 1, 0}}, {{5e8, 1e6}});
    add_turn(evidence, 5, {{1, 2, 0}}, {{5e8, 1e6}});
    for (const double noise : {-5e6, 0.0, 5e6}) {
        add_turn(evidence, 0, from_a, {{full / 2 + noise, 3e6}, {full / 2, 4e6}});
        EXPECT_EQ(evidence.known(0).kind, Kind::at_least);
        EXPECT_TRUE(evidence.in_doubt(0));
        add_turn(evidence, 0, {from_a.front()}, {{reduced + noise, 5e6}});
    }
}

TEST(LinkEvidence, WhereALittleMoreWasAtHandControlLoadsThatReachAllOfTheirsTellThatItWasFull) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_controls(evidence, 9.2e8, 4.9e8);
    EXPECT_EQ(evidence.known(0).kind, Kind::measured);
    EXPECT_NEAR(evidence.known(0).bits_per_second, 9.2e8, 1);
    EXPECT_NEAR(evidence.known(0).standard_error, 5e6 / std::sqrt(3), 1e3);
    EXPECT_FALSE(evidence.in_doubt(0));
}

TEST(LinkEvidence, ControlLoadsThatFallShortAsWellMakeNoFigure) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_controls(evidence, 9.2e8, 4.65e8);
    EXPECT_EQ(evidence.known(0).kind, Kind::at_least);
    EXPECT_TRUE(evidence.in_doubt(0));
}

TEST(LinkEvidence, AFigureFallsWhenMoreIsCarried) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 5, {{2, 1, 0}}, {{9e8, 1e6}});
    add_turn(evidence, 3, {{1, 2, 0}}, {{9e8, 1e6}});
    for (int turn = 0; turn < 2; ++turn)
        add_turn(evidence, 0, from_a, {{2e8, 3e6}, {2e8, 4e6}});
    EXPECT_EQ(evidence.known(0).kind, Kind::measured);
    add_turn(evidence, 3, {{0, 1, 0}}, {{6e8, 1e6}});
    EXPECT_EQ(evidence.known(0), (LinkBandwidth{Kind::at_least, 5.99e8, 0}));
}

TEST(LinkEvidence, AFlowOfWhichNothingCameSaysNothing) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    add_turn(evidence, 0, {{0, 1, 0}}, {{}});
    EXPECT_EQ(evidence.known(0).kind, Kind::not_measured);
}

}  // namespace
}  // namespace trellis::plugins::bwtree
