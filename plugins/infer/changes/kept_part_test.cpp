#include "plugins/infer/changes/kept_part.hpp"

#include <gmock/gmock.h>

namespace trellis::plugins::infer {
namespace {

using ::testing::ElementsAre;

KnownTopology on_one_switch(std::vector<std::string> hosts, std::int64_t measured) {
    Topology topology{std::move(hosts), {"s1"}, {}};
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host)
        topology.links.push_back({host, static_cast<TopologyNode>(topology.hosts.size()), Delay{20}});
    return {std::move(topology), measured};
}

TEST(KeptPart, IsOfTheTopologyThatLacksFewestHosts) {
    const std::vector<KnownTopology> known{on_one_switch({"a", "b", "c"}, 30),
                                           on_one_switch({"a", "b", "d", "e", "f"}, 10),
                                           on_one_switch({"a", "b", "c", "d", "e"}, 20)};
    const auto part = kept_part(known, {"a", "b", "d", "x"});
    ASSERT_TRUE(part);
    EXPECT_EQ(part->measured, 20);
    EXPECT_THAT(part->topology.hosts, ElementsAre("a", "b", "d"));
    EXPECT_THAT(part->joined, ElementsAre("x"));
    EXPECT_EQ(part->left, 2U);
    EXPECT_FALSE(part->newest);
    EXPECT_TRUE(part->worth_keeping());
}

TEST(KeptPart, TheSameHostsAreUnchangedAndOfEqualsTheFirstCounts) {
    const std::vector<KnownTopology> known{on_one_switch({"a", "b", "c"}, 2),
                                           on_one_switch({"c", "b", "a"}, 1)};
    const auto part = kept_part(known, {"b", "c", "a"});
    ASSERT_TRUE(part);
    EXPECT_TRUE(part->unchanged());
    EXPECT_TRUE(part->newest);
    EXPECT_EQ(part->measured, 2);
}

TEST(KeptPart, OfStrangersNothingIsWorthKeeping) {
    EXPECT_FALSE(kept_part(std::vector<KnownTopology>(), {"a"}));
    const std::vector<KnownTopology> known{on_one_switch({"a", "b", "c"}, 1)};
    const auto part = kept_part(known, {"x", "y"});
    ASSERT_TRUE(part);
    EXPECT_TRUE(part->topology.hosts.empty());
    EXPECT_FALSE(part->worth_keeping());
}

TEST(KeptPart, AgesAreTold) {
    EXPECT_EQ(age_text(-5), "0 s");
    EXPECT_EQ(age_text(119), "119 s");
    EXPECT_EQ(age_text(120), "2 min");
    EXPECT_EQ(age_text(7200), "2 h");
    EXPECT_EQ(age_text(200'000), "2 days");
}

}  // namespace
}  // namespace trellis::plugins::infer
