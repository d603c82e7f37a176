#include "agentd/model/topology_collection.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Topology one_switch(std::vector<std::string> hosts, double delay_us = 20) {
    Topology topology{std::move(hosts), {"s1"}, {}};
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host)
        topology.links.push_back({host, static_cast<TopologyNode>(topology.hosts.size()), Delay{delay_us}});
    return topology;
}

TEST(TopologyCollection, TheNewestOfASetOfHostsStands) {
    TopologyCollection known;
    known = known.with({one_switch({"a", "b", "c"}), 100});
    known = known.with({one_switch({"a", "b", "d"}), 200});
    known = known.with({one_switch({"c", "b", "a"}, 30), 300});
    ASSERT_EQ(known.known().size(), 2U);
    EXPECT_EQ(known.known()[0].measured, 300);
    EXPECT_EQ(known.known()[0].topology.links[0].delay, Delay{30});
    EXPECT_EQ(known.known()[1].measured, 200);
    EXPECT_THAT(known.hosts(), ElementsAre("a", "b", "c", "d"));
}

TEST(TopologyCollection, HostsAreTakenOutOfEach) {
    const auto known = TopologyCollection()
                           .with({one_switch({"x"}), 1})
                           .with({one_switch({"a", "b", "c"}), 2})
                           .with({one_switch({"a", "b", "c", "x"}), 3})
                           .with({one_switch({"d", "x", "e", "f"}), 4});
    const std::vector<KnownTopology> rest = known.without({"x", "y"}).known();
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_THAT(rest[0].topology.hosts, ElementsAre("d", "e", "f"));
    EXPECT_EQ(rest[0].measured, 4);
    EXPECT_THAT(rest[1].topology.hosts, ElementsAre("a", "b", "c"));
    EXPECT_EQ(rest[1].measured, 3);
}

TEST(TopologyCollection, KeepsNoMoreThanItSays) {
    TopologyCollection known;
    for (int i = 0; i < 20; ++i)
        known = known.with({one_switch({"x" + std::to_string(i), "y", "z"}), i});
    ASSERT_EQ(known.known().size(), TopologyCollection::most);
    EXPECT_EQ(known.known().front().measured, 19);
    EXPECT_EQ(known.known().back().measured, 4);
}

TEST(TopologyCollection, IsReadAsItIsWritten) {
    const auto known =
        TopologyCollection().with({one_switch({"a", "b", "c"}), 100}).with({one_switch({"d", "e", "f"}), 7});
    const auto read = TopologyCollection::from_json(known.to_json());
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)->to_json(), known.to_json());
    EXPECT_THAT((*read)->to_text(),
                HasSubstr("d,e,f: 3 hosts, 1 switches, measured 1970-01-01 00:00:07 UTC"));
}

TEST(TopologyCollection, RefusesWhatIsNone) {
    for (const char* text :
         {"7", "{}", "[7]", R"([{"measured": "x", "topology": {}}])", R"([{"measured": 1, "topology": {}}])",
          R"([{"measured": 1}])", R"([{"measured": 1, "topology": {}, "more": 1}])"}) {
        const auto read = TopologyCollection::from_json(nlohmann::json::parse(text));
        ASSERT_FALSE(read) << text;
        EXPECT_FALSE(read.error().message().empty());
    }
    nlohmann::json many = nlohmann::json::array();
    for (int i = 0; i < 17; ++i)
        many.push_back({{"measured", 1}, {"topology", nlohmann::json::object()}});
    EXPECT_FALSE(TopologyCollection::from_json(many));
}

}  // namespace
}  // namespace trellis
