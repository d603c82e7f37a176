#include "plugins/bwtree/link_evidence.hpp"

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

TEST(LinkEvidence, OnePairCannotTellWhichOfTwoLinksIsFull) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    evidence.add(std::vector<Flow>{{0, 1, 0}}, std::vector<FlowRate>{{9e8, 1e6}});
    const auto judged = evidence.judge();
    EXPECT_EQ(judged[0], (LinkBandwidth{Kind::at_least, 9e8, 0}));
    EXPECT_EQ(judged[3], (LinkBandwidth{Kind::at_least, 9e8, 0}));
    EXPECT_EQ(judged[1].kind, Kind::not_measured);
}

TEST(LinkEvidence, WhatIsSeenLaterDecidesWhatWasOpen) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    const std::vector<Flow> from_a{{0, 1, 0}, {0, 2, 0}};
    evidence.add(from_a, std::vector<FlowRate>{{5e8, 3e6}, {4e8, 4e6}});
    EXPECT_EQ(evidence.judge()[0].kind, Kind::at_least);
    evidence.add(std::vector<Flow>{{2, 1, 0}}, std::vector<FlowRate>{{1e9, 1e6}});
    const auto judged = evidence.judge();
    EXPECT_EQ(judged[0].kind, Kind::measured);
    EXPECT_NEAR(judged[0].bits_per_second, 9e8, 1);
    EXPECT_NEAR(judged[0].standard_error, 5e6, 1);
    EXPECT_EQ(judged[3].kind, Kind::at_least);
}

TEST(LinkEvidence, AFlowOfWhichNothingCameSaysNothing) {
    const DirectedPaths paths(three_hosts());
    LinkEvidence evidence(paths);
    evidence.add(std::vector<Flow>{{0, 1, 0}}, std::vector<FlowRate>{{}});
    EXPECT_EQ(evidence.judge()[0].kind, Kind::not_measured);
}

}  // namespace
}  // namespace trellis::plugins::bwtree
