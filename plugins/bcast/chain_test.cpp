#include "plugins/bcast/chain.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <gmock/gmock.h>

namespace trellis::plugins::bcast {
namespace {

using ::testing::ElementsAre;

// s0 with a0, b0; s1 below it with a1, b1; s2 below s1 with a2, b2: hosts named so that no order is by
// chance.
Topology three_switches() {
    Topology topology;
    topology.hosts = {"a0", "a1", "a2", "b0", "b1", "b2"};
    topology.switches = {"s0", "s1", "s2"};
    for (TopologyNode host = 0; host < 6; ++host)
        topology.links.push_back({host, 6 + host % 3, Delay(25)});
    topology.links.push_back({6, 7, Delay(100)});
    topology.links.push_back({7, 8, Delay(100)});
    return topology;
}

std::vector<std::string> chosen(const std::vector<std::string>& names,
                                const std::vector<std::size_t>& order) {
    std::vector<std::string> hosts;
    hosts.reserve(order.size());
    for (const std::size_t place : order)
        hosts.push_back(names[place]);
    return hosts;
}

TEST(BcastChain, CrossesEachLinkOfTheTreeOnceInEachDirectionAtMost) {
    const Topology topology = three_switches();
    const std::vector<std::string> names = {"b2", "a0", "b1", "a2", "b0", "a1"};
    const Chain chain = tree_chain(topology, names, "a2");
    ASSERT_EQ(chain.order.size(), names.size());
    EXPECT_TRUE(chain.unplaced.empty());
    const TopologyQuery query(topology);
    std::set<std::pair<TopologyNode, TopologyNode>> crossed;
    for (std::size_t i = 1; i < names.size(); ++i) {
        const auto from = find_node(topology, names[chain.order[i - 1]]);
        const auto to = find_node(topology, names[chain.order[i]]);
        const auto path = query.path(*from, *to);
        for (std::size_t hop = 1; hop < path.size(); ++hop)
            EXPECT_TRUE(crossed.emplace(path[hop - 1], path[hop]).second)
                << path[hop - 1] << "-" << path[hop];
    }
}

TEST(BcastChain, BeginsAtTheSource) {
    const std::vector<std::string> names = {"a0", "a1", "a2", "b0", "b1", "b2"};
    const Chain chain = tree_chain(three_switches(), names, "b2");
    EXPECT_EQ(names[chain.order[0]], "b2");
}

TEST(BcastChain, PutsHostsThatTheTopologyLacksAtTheEndAsTheyCame) {
    const std::vector<std::string> names = {"x", "b0", "c", "a0"};
    const Chain chain = tree_chain(three_switches(), names, "");
    EXPECT_THAT(chosen(names, chain.order), ElementsAre("a0", "b0", "x", "c"));
    EXPECT_THAT(chain.unplaced, ElementsAre("x", "c"));
}

TEST(BcastChain, KeepsTheOrderGivenWithoutATopology) {
    const std::vector<std::string> names = {"x", "b0", "a0"};
    EXPECT_THAT(tree_chain(Topology(), names, "").order, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace trellis::plugins::bcast
