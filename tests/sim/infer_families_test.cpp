#include "tests/sim/infer_families.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

std::vector<InferFamily> all_families() {
    const char* data = std::getenv("TRELLIS_DATA");
    return infer_families(data ? data : "");
}

TEST(InferFamilies, AreValidTruths) {
    for (const InferFamily& family : all_families()) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            const NoisyNetwork network = family.network(seed);
            const Result<void> valid = validate(network.truth);
            EXPECT_TRUE(valid) << family.name << ", seed " << seed << ": " << valid.error().cause;
            ASSERT_EQ(network.cluster.size(), network.truth.hosts.size()) << family.name;
            EXPECT_EQ(std::ranges::max(network.cluster) + 1, network.profile.size()) << family.name;
        }
    }
}

TEST(InferFamilies, AreTheSameForTheSameSeedAndDifferForOthers) {
    for (const InferFamily& family : all_families()) {
        EXPECT_EQ(family.network(5).truth, family.network(5).truth) << family.name;
        if (!family.name.starts_with("source")) {
            EXPECT_NE(family.network(5).truth, family.network(6).truth) << family.name;
        }
    }
}

TEST(InferFamilies, HaveTheirHostsAndSwitches) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Topology lan = lan_of_four_switches(seed).truth;
        EXPECT_EQ(lan.hosts.size(), 64u);
        EXPECT_EQ(groups_by_switch(lan).size(), 4u);
        EXPECT_EQ(visible_part(lan).switches.size(), 4u);
        const Topology wan = clusters_at_two_routers(seed, wan_noise).truth;
        EXPECT_EQ(wan.hosts.size(), 256u);
        EXPECT_EQ(groups_by_switch(wan).size(), 16u);
        EXPECT_EQ(visible_part(wan).switches.size(), 18u);
    }
}

TEST(InferFamilies, ClustersAreMillisecondsApart) {
    const NoisyNetwork network = clusters_at_two_routers(3, wan_noise);
    const TopologyQuery query(network.truth);
    for (TopologyNode a = 0; a < 256; ++a)
        for (TopologyNode b = 0; b < a; ++b) {
            const Delay rtt = 2 * query.distance(a, b);
            if (network.cluster[a] == network.cluster[b]) {
                EXPECT_LT(rtt, Delay{125});
            } else {
                EXPECT_GT(rtt, Delay{2000});
                EXPECT_LT(rtt, Delay{6000});
            }
        }
}

TEST(InferFamilies, LevelsHaveSwitchesOf16To48HostsAndNoneThatIsHidden) {
    std::set<std::size_t> depths;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Topology truth = levels_of_switches(1000, seed).truth;
        EXPECT_EQ(truth.hosts.size(), 1000u);
        for (const auto& group : groups_by_switch(truth)) {
            EXPECT_GE(group.size(), 16u);
            EXPECT_LE(group.size(), 48u);
        }
        EXPECT_EQ(visible_part(truth).switches.size(), truth.switches.size());
        const auto top = static_cast<TopologyNode>(truth.node_count() - 1);
        depths.insert(TopologyQuery(truth, top).depth(0));
    }
    EXPECT_EQ(depths, (std::set<std::size_t>{3, 4}));
}

TEST(InferFamilies, FewHostsHaveNoMoreLevelsThanSwitches) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Topology truth = levels_of_switches(256, seed).truth;
        ASSERT_TRUE(validate(truth)) << seed;
        EXPECT_EQ(truth.hosts.size(), 256u);
        EXPECT_EQ(visible_part(truth).switches.size(), truth.switches.size()) << seed;
        EXPECT_GE(groups_by_switch(truth).size(), 6u);
    }
}

TEST(InferFamilies, OneOrThreeInterfacesAreThrottled) {
    std::set<std::size_t> counts;
    for (const InferFamily& family : infer_families())
        for (std::uint64_t seed = 1; seed <= 4; ++seed)
            if (family.name == "throttled") counts.insert(family.network(seed).throttled.size());
    EXPECT_EQ(counts, (std::set<std::size_t>{1, 3}));
}

}  // namespace
}  // namespace trellis::sim
