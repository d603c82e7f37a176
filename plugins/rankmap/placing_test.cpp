#include "plugins/rankmap/placing.hpp"

#include "agentd/model/topology_query.hpp"
#include "plugins/rankmap/scotch_mapping.hpp"
#include "plugins/rankmap/swap_search.hpp"
#include "plugins/rankmap/traffic_patterns.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gmock/gmock.h>

namespace trellis::plugins::rankmap {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Switches below one, `hosts` on each, named so that their names say nothing of where they are.
Topology star_of_switches(std::size_t switches, std::size_t hosts) {
    Topology topology;
    const auto all = static_cast<TopologyNode>(switches * hosts);
    for (TopologyNode host = 0; host < all; ++host)
        topology.hosts.push_back("h" + std::to_string(host * 7919U % 10007U));
    topology.switches.push_back("core");
    for (TopologyNode edge = 0; edge < switches; ++edge) {
        topology.switches.push_back("s" + std::to_string(edge));
        topology.links.push_back({all, all + 1 + edge, Delay(100)});
        for (TopologyNode host = 0; host < hosts; ++host)
            topology.links.push_back(
                {all + 1 + edge, edge * static_cast<TopologyNode>(hosts) + host, Delay(25)});
    }
    EXPECT_TRUE(validate(topology));
    return topology;
}

Site site_of(Topology topology, std::uint32_t slots) {
    const std::size_t hosts = topology.hosts.size();
    return {std::move(topology), std::vector<std::uint32_t>(hosts, slots)};
}

// A tree drawn by lot: each switch below one that stands already, each host on one.
Topology random_tree(std::uint64_t seed, TopologyNode hosts, TopologyNode switches) {
    std::mt19937_64 random(seed);
    Topology topology;
    for (TopologyNode host = 0; host < hosts; ++host)
        topology.hosts.push_back("h" + std::to_string(host));
    for (TopologyNode edge = 0; edge < switches; ++edge) {
        topology.switches.push_back("s" + std::to_string(edge));
        if (edge > 0)
            topology.links.push_back({hosts + static_cast<TopologyNode>(random() % edge), hosts + edge,
                                      Delay(static_cast<double>(1 + random() % 100))});
    }
    for (TopologyNode host = 0; host < hosts; ++host)
        topology.links.push_back({host, hosts + static_cast<TopologyNode>(random() % switches),
                                  Delay(static_cast<double>(1 + random() % 100))});
    EXPECT_TRUE(validate(topology));
    return topology;
}

std::vector<double> delays(const Topology& topology) {
    return link_costs(topology, CostMeasure::delay, nullptr).value();
}

std::vector<std::uint32_t> used(const Site& site, const Placement& placement) {
    std::vector<std::uint32_t> count(site.slots.size(), 0);
    for (const HostIndex host : placement)
        ++count.at(host);
    return count;
}

void expect_fits(const Site& site, const Placement& placement, std::size_t ranks) {
    ASSERT_EQ(placement.size(), ranks);
    const auto count = used(site, placement);
    for (std::size_t host = 0; host < count.size(); ++host)
        EXPECT_LE(count[host], site.slots[host]) << host;
}

const std::vector<Method> all_methods{Method::depth_first, Method::by_name, Method::by_lot, Method::pattern};

TEST(RankmapPlacing, PathCostsAreThoseOfTheTree) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Topology topology = random_tree(seed, 12, 1 + static_cast<TopologyNode>(seed));
        const TopologyQuery query(topology);
        const PathCosts by_delay(topology, delays(topology));
        const PathCosts by_links(topology, link_costs(topology, CostMeasure::links, nullptr).value());
        for (TopologyNode a = 0; a < topology.node_count(); ++a) {
            for (TopologyNode b = 0; b < topology.node_count(); ++b) {
                EXPECT_NEAR(by_delay.between(a, b), query.distance(a, b).count(), 1e-2);
                EXPECT_EQ(by_links.between(a, b), static_cast<float>(query.hops(a, b)));
            }
        }
    }
    Topology pair{{"a", "b"}, {}, {{0, 1, Delay(7)}}};
    EXPECT_EQ(PathCosts(pair, {7}).between(1, 0), 7);
    EXPECT_EQ(PathCosts(Topology{{"a"}, {}, {}}, {}).between(0, 0), 0);
}

TEST(RankmapPlacing, BandwidthCostsNeedEachLinkOfTheSameTree) {
    const Topology topology = star_of_switches(2, 2);
    EXPECT_FALSE(link_costs(topology, CostMeasure::bandwidth, nullptr));
    TopologyBandwidth known{topology, {}};
    const LinkBandwidth gigabit{LinkBandwidth::Kind::measured, 1e9, 0};
    known.links.assign(topology.links.size(), {gigabit, {LinkBandwidth::Kind::at_least, 5e8, 0}});
    EXPECT_THAT(link_costs(topology, CostMeasure::bandwidth, &known).value(), Each(12.0));  // (8 + 16) / 2
    EXPECT_FALSE(link_costs(star_of_switches(2, 3), CostMeasure::bandwidth, &known));
    known.links[1][0] = {};
    EXPECT_FALSE(link_costs(topology, CostMeasure::bandwidth, &known));
}

TEST(RankmapPlacing, DepthFirstFillsHostByHostAlongTheTree) {
    // a, c on one switch, b, d on the other
    const Topology topology{
        {"a", "b", "c", "d"},
        {"s", "t"},
        {{0, 4, Delay(1)}, {2, 4, Delay(1)}, {1, 5, Delay(1)}, {3, 5, Delay(1)}, {4, 5, Delay(9)}}};
    const Site site{topology, {2, 1, 0, 2}};
    const Traffic ring = pattern_traffic("ring", 4).value();
    const auto costs = delays(topology);
    const auto placed = place({site, ring, costs}, {Method::depth_first, Method::by_name});
    EXPECT_THAT(placed[0].placement, ElementsAre(0, 0, 1, 3));
    EXPECT_THAT(placed[1].placement, ElementsAre(0, 0, 1, 3));
    // 0-1 on a, 1-2 and 3-0 across, 2-3 on one switch
    EXPECT_DOUBLE_EQ(placed[0].objective.cost, (0 + 11 + 2 + 11) / 4.0);
    EXPECT_DOUBLE_EQ(placed[0].objective.between_switches, 0.5);
    EXPECT_DOUBLE_EQ(placed[0].objective.between_hosts, 0.75);
    const RankOrder order = rank_order(site, {3, 0, 3, 0}, "pattern");
    EXPECT_EQ(order.ranks, (std::vector<RankPlace>{{"d", 0}, {"a", 0}, {"d", 1}, {"a", 1}}));
}

// What the paper ran: 121 hosts, here on 8 switches of 16.
TEST(RankmapPlacing, AThirdOfTheTrafficOfAMultipartitionStaysBetweenSwitches) {
    const Site site = site_of(star_of_switches(8, 16), 1);
    const Traffic traffic = pattern_traffic("multipartition", 121).value();
    const auto costs = delays(site.topology);
    const auto placed = place({site, traffic, costs}, all_methods);
    EXPECT_NEAR(placed[0].objective.between_switches, 0.51, 0.02);
    EXPECT_NEAR(placed[2].objective.between_switches, 0.88, 0.04);
    EXPECT_LE(placed[3].objective.between_switches, 0.35);
    for (const Placed& one : placed) {
        expect_fits(site, one.placement, 121);
        EXPECT_GE(one.objective.cost, placed[3].objective.cost);
    }
}

TEST(RankmapPlacing, PartitionsAndSwapsKeepToTheSlots) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Site site = site_of(random_tree(seed, 30, 8), 0);
        for (std::size_t host = 0; host < site.slots.size(); ++host)
            site.slots[host] = static_cast<std::uint32_t>((host + seed) % 5);
        const std::size_t ranks = site.room() - (seed % 7);
        const Traffic traffic = pattern_traffic(seed % 2 == 0 ? "halo-2d" : "binomial", ranks).value();
        const PathCosts costs(site.topology, delays(site.topology));
        const auto mapped = scotch_placement(site, traffic, seed);
        ASSERT_TRUE(mapped);
        expect_fits(site, *mapped, ranks);
        EXPECT_EQ(mapped, scotch_placement(site, traffic, seed));
        const SwapSearch search{seed, 0.1, 300'000};
        const Placement better = improve_by_swaps(site, traffic, costs, *mapped, search);
        expect_fits(site, better, ranks);
        EXPECT_EQ(better, improve_by_swaps(site, traffic, costs, *mapped, search));
        EXPECT_LE(objective(site.topology, traffic, costs, better).cost,
                  objective(site.topology, traffic, costs, *mapped).cost * (1 + 1e-6));
    }
}

// Two pairs that talk a lot, given apart.
TEST(RankmapPlacing, SwapsFindWhatIsPlain) {
    const Site site = site_of(star_of_switches(2, 2), 1);
    const Traffic traffic(4, {{0, 1, 100}, {2, 3, 100}, {0, 2, 1}});
    const auto costs = delays(site.topology);
    const Placement apart{0, 2, 1, 3};
    const Placement found = improve_by_swaps(site, traffic, PathCosts(site.topology, costs), apart, {});
    EXPECT_EQ(found[0] / 2, found[1] / 2);
    EXPECT_EQ(found[2] / 2, found[3] / 2);
}

TEST(RankmapPlacing, HardCornersAreNoTrouble) {
    const Site alone{Topology{{"a"}, {}, {}}, {3}};
    const auto none = place({alone, pattern_traffic("ring", 1).value(), {}}, all_methods);
    EXPECT_THAT(none[3].placement, ElementsAre(0));
    EXPECT_EQ(none[3].objective.cost, 0);
    const auto ring = place({alone, pattern_traffic("ring", 3).value(), {}}, all_methods);
    EXPECT_THAT(ring[3].placement, ElementsAre(0, 0, 0));
    const Site pair{Topology{{"a", "b"}, {}, {{0, 1, Delay(0)}}}, {2, 2}};
    const std::vector<double> free{0};
    expect_fits(pair, place({pair, pattern_traffic("all-to-all", 4).value(), free}, all_methods)[3].placement,
                4);
}

}  // namespace
}  // namespace trellis::plugins::rankmap
