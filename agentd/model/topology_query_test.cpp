#include "agentd/model/topology_query.hpp"

#include "tests/sim/random_topology.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a and b on s, c and d on t, and between them u, which no host can see.
Topology example() {
    Topology topology;
    topology.hosts = {"a", "b", "c", "d"};
    topology.switches = {"s", "u", "t"};
    topology.links = {{0, 4, Delay{1}}, {1, 4, Delay{2}},  {2, 6, Delay{3}},
                      {3, 6, Delay{4}}, {4, 5, Delay{10}}, {5, 6, Delay{5}}};
    return topology;
}

std::string refusal(const Topology& topology) {
    const Result<void> result = validate(topology);
    return result ? "" : result.error().cause;
}

TEST(TopologyQuery, AnswersForASmallTree) {
    const TopologyQuery query(example());
    EXPECT_EQ(query.distance(0, 3), Delay{20});
    EXPECT_EQ(query.distance(0, 0), Delay{0});
    EXPECT_EQ(query.hops(0, 3), 4u);
    EXPECT_THAT(query.path(0, 3), ElementsAre(0, 4, 5, 6, 3));
    EXPECT_THAT(query.path(3, 3), ElementsAre(3));
    EXPECT_TRUE(query.share_link(0, 2, 3, 1));
    EXPECT_FALSE(query.share_link(0, 1, 2, 3));
    EXPECT_TRUE(query.share_link(0, 1, 0, 3));
    EXPECT_EQ(query.shared_links(0, 2, 1, 3), 2u);
    EXPECT_THAT(query.depth_first_hosts(), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(query.hosts_below(6), ElementsAre(2, 3));
}

TEST(TopologyQuery, TheCentreIsTheSwitchWhoseFarthestHostIsNearest) {
    EXPECT_EQ(centre(example()), 5u);  // s: 19, u: 12, t: 17
    Topology pair{{"a", "b"}, {}, {{0, 1, Delay{3}}}};
    EXPECT_EQ(centre(pair), 0u);
}

TEST(TopologyQuery, SharedLinksEqualThoseCountedOnPaths) {
    std::mt19937 random(3);
    for (const sim::TreeShape shape : sim::all_tree_shapes) {
        const Topology tree = sim::random_topology(20, shape, 11);
        const TopologyQuery query(tree);
        const auto links = [&](TopologyNode from, TopologyNode to) {
            std::set<std::pair<TopologyNode, TopologyNode>> used;
            const auto path = query.path(from, to);
            for (std::size_t i = 1; i < path.size(); ++i)
                used.insert(std::minmax(path[i - 1], path[i]));
            return used;
        };
        for (int i = 0; i < 500; ++i) {
            const auto pick = [&] { return static_cast<TopologyNode>(random() % 20); };
            const TopologyNode p = pick(), q = pick(), r = pick(), s = pick();
            std::size_t common = 0;
            for (const auto& link : links(p, q))
                common += links(r, s).count(link);
            ASSERT_EQ(query.shared_links(p, q, r, s), common);
        }
    }
}

TEST(TopologyQuery, ADepthFirstChainCrossesEachLinkOnceEachWay) {
    const Topology tree = sim::random_topology(60, sim::TreeShape::any, 5);
    const TopologyQuery query(tree);
    const auto order = query.depth_first_hosts();
    ASSERT_EQ(order.size(), 60u);
    std::set<std::pair<TopologyNode, TopologyNode>> crossed;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto path = query.path(order[i], order[(i + 1) % order.size()]);
        for (std::size_t k = 1; k < path.size(); ++k)
            EXPECT_TRUE(crossed.emplace(path[k - 1], path[k]).second) << "crossed twice";
    }
}

TEST(TopologyProjection, SplicesAndDrops) {
    const Topology seen = visible_part(example());
    EXPECT_THAT(seen.switches, ElementsAre("s", "t"));
    EXPECT_EQ(TopologyQuery(seen).distance(0, 3), Delay{20});
    const std::vector<std::string> subset{"d", "a", "b"};
    const Topology part = project(example(), subset).value();
    EXPECT_THAT(part.hosts, ElementsAre("d", "a", "b"));
    EXPECT_THAT(part.switches, ElementsAre("s"));
    EXPECT_EQ(TopologyQuery(part).distance(0, 1), Delay{20});
    EXPECT_EQ(refusal(part), "");
}

// example() with doubts: u is a mesh, and every link has a confidence and an error of its own.
Topology doubtful_example() {
    Topology topology = example();
    const double confidences[] = {1, 0.9, 0.8, 1, 0.5, 0.7}, errors[] = {0, 1, 2, 0, 3, 4};
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        topology.links[i].confidence = confidences[i];
        topology.links[i].standard_error = Delay{errors[i]};
    }
    topology.meshes = {5};
    return topology;
}

TEST(TopologyProjection, OfASplicedLinkBetweenSwitchesTheSurestPartCounts) {
    const Topology seen = visible_part(doubtful_example());
    const TopologyLink trunk = TopologyQuery(seen, 4).link_to_parent(5);
    EXPECT_EQ(trunk, (TopologyLink{4, 5, Delay{15}, 0.7, Delay{5}}));
    EXPECT_THAT(seen.meshes, ElementsAre());
}

TEST(TopologyProjection, OfASplicedLinkAtAHostItsOwnConfidenceCounts) {
    const auto only_link = [](std::vector<std::string> hosts) {
        const Topology part = project(doubtful_example(), hosts).value();
        return TopologyQuery(part, static_cast<TopologyNode>(part.node_count() - 1)).link_to_parent(0);
    };
    EXPECT_EQ(only_link({"c", "a", "b"}).confidence, 0.8);
    EXPECT_EQ(only_link({"d", "a", "b"}).confidence, 1);
    EXPECT_EQ(only_link({"b", "c"}).confidence, 0.8);
    EXPECT_NEAR(only_link({"d", "a", "b"}).standard_error.count(), 5, 1e-12);
}

TEST(TopologyProjection, RenumbersMeshes) {
    Topology topology = doubtful_example();
    topology.meshes = {4, 6};
    const Topology part = project(topology, std::vector<std::string>{"a", "c", "d"}).value();
    EXPECT_THAT(part.switches, ElementsAre("t"));
    EXPECT_THAT(part.meshes, ElementsAre(3));
    EXPECT_EQ(refusal(part), "");
}

TEST(TopologySharedLink, IsUnknownWhereBothPathsMeetInAMesh) {
    // Four hosts on a mesh m, one on a switch s behind it, and two on a switch t behind that one.
    const TopologyNode m = 7, s = 8, t = 9;
    Topology topology{{"a", "b", "c", "d", "e", "f", "g"}, {"m", "s", "t"}, {}, {m}};
    for (TopologyNode host = 0; host < 7; ++host)
        topology.links.push_back({host, host < 4 ? m : host == 4 ? s : t, Delay{1}});
    topology.links.push_back({m, s, Delay{1}});
    topology.links.push_back({s, t, Delay{1}});
    for (const TopologyNode root : {m, s, t, TopologyNode{2}}) {
        const TopologyQuery query(topology, root);
        EXPECT_EQ(query.shared_link_answer(0, 1, 2, 3), SharedLink::unknown);
        EXPECT_EQ(query.shared_link_answer(0, 4, 2, 3), SharedLink::unknown);
        EXPECT_EQ(query.shared_link_answer(0, 4, 1, 5), SharedLink::unknown) << "m-s may be several cables";
        EXPECT_EQ(query.shared_link_answer(0, 5, 1, 6), SharedLink::yes) << "s-t is one";
        EXPECT_EQ(query.shared_link_answer(0, 1, 4, 5), SharedLink::no);
        EXPECT_EQ(query.shared_link_answer(0, 1, 0, 2), SharedLink::yes) << "a has one cable";
        EXPECT_EQ(query.shared_link_answer(0, 1, 3, 3), SharedLink::no);
    }
    topology.meshes.clear();
    EXPECT_EQ(TopologyQuery(topology).shared_link_answer(0, 1, 2, 3), SharedLink::no);
}

TEST(TopologySharedLink, AgreesWithTheCountOfSharedLinksWithoutMeshes) {
    std::mt19937 random(4);
    Topology tree = sim::random_topology(20, sim::TreeShape::any, 12);
    const TopologyQuery plain(tree);
    for (TopologyNode node = 20; node < tree.node_count(); ++node)
        tree.meshes.push_back(node);
    const TopologyQuery meshed(tree);
    for (int i = 0; i < 1000; ++i) {
        const auto pick = [&] { return static_cast<TopologyNode>(random() % 20); };
        const TopologyNode p = pick(), q = pick(), r = pick(), s = pick();
        const bool shared = plain.share_link(p, q, r, s);
        EXPECT_EQ(plain.shared_link_answer(p, q, r, s), shared ? SharedLink::yes : SharedLink::no);
        const auto one = plain.path(p, q), other = plain.path(r, s);
        const bool meet = p != q && r != s && std::ranges::find_first_of(one, other) != one.end();
        const bool same_host = meet && (p == r || p == s || q == r || q == s);
        EXPECT_EQ(meshed.shared_link_answer(p, q, r, s), same_host ? SharedLink::yes
                                                         : meet    ? SharedLink::unknown
                                                                   : SharedLink::no);
    }
}

TEST(TopologyProjection, OfFewHosts) {
    const auto of = [](std::vector<std::string> hosts) { return project(example(), hosts).value(); };
    EXPECT_EQ(of({}).node_count(), 0u);
    EXPECT_EQ(of({"c"}).node_count(), 1u);
    EXPECT_EQ(of({"c", "a"}), (Topology{{"c", "a"}, {}, {{0, 1, Delay{19}}}}));
}

TEST(TopologyProjection, RefusesUnknownAndRepeatedHosts) {
    EXPECT_EQ(project(example(), std::vector<std::string>{"x"}).error().host, "x");
    EXPECT_THAT(project(example(), std::vector<std::string>{"a", "a"}).error().cause, HasSubstr("twice"));
    EXPECT_FALSE(project(example(), std::vector<std::string>{"s"}));
}

TEST(TopologyProjection, KeepsDistancesOnRandomTrees) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Topology tree = sim::random_topology(40, sim::all_tree_shapes[seed % 5], seed);
        std::vector<std::string> some;
        for (std::size_t i = seed % 3; i < tree.hosts.size(); i += 2)
            some.push_back(tree.hosts[i]);
        const Topology part = project(tree, some).value();
        ASSERT_EQ(refusal(part), "");
        ASSERT_EQ(visible_part(part).switches.size(), part.switches.size());
        const TopologyQuery whole(tree), partial(part);
        for (TopologyNode i = 0; i < part.hosts.size(); ++i)
            EXPECT_NEAR(partial.distance(0, i).count(),
                        whole.distance(*find_node(tree, some[0]), *find_node(tree, some[i])).count(), 1e-9);
    }
}

TEST(TopologyGroups, AreTheHostsOfEachSwitch) {
    EXPECT_THAT(groups_by_switch(example()), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
    EXPECT_THAT(groups_by_switch(Topology{{"a", "b"}, {}, {{0, 1, Delay{3}}}}),
                ElementsAre(ElementsAre(0, 1)));
}

TEST(TopologyValidate, NamesTheRuleThatIsBroken) {
    EXPECT_EQ(refusal(Topology{}), "");
    EXPECT_EQ(refusal(example()), "");
    auto with = [](auto change) {
        Topology topology = example();
        change(topology);
        return refusal(topology);
    };
    EXPECT_THAT(with([](Topology& t) { t.hosts[1] = "s"; }), HasSubstr("'s' is used twice"));
    EXPECT_THAT(with([](Topology& t) { t.switches[0] = ""; }), HasSubstr("empty name"));
    EXPECT_THAT(with([](Topology& t) { t.links[2].b = 99; }), HasSubstr("link 2"));
    EXPECT_THAT(with([](Topology& t) { t.links[2].b = 2; }), HasSubstr("to itself"));
    EXPECT_THAT(with([](Topology& t) { t.links[1].delay = Delay{-1}; }), HasSubstr("link 1 (b - s)"));
    EXPECT_THAT(with([](Topology& t) { t.links[1].delay = Delay{std::numeric_limits<double>::quiet_NaN()}; }),
                HasSubstr("finite"));
    EXPECT_THAT(with([](Topology& t) {
                    t.links.push_back({0, 5, Delay{1}});
                }),
                HasSubstr("host 'a' has 2 links"));
    EXPECT_THAT(with([](Topology& t) { t.links.push_back({4, 6, Delay{1}}); }), HasSubstr("loop"));
    EXPECT_THAT(with([](Topology& t) { t.links.pop_back(); }), HasSubstr("not joined"));
    EXPECT_THAT(with([](Topology& t) { t.links[1].confidence = 1.01; }), HasSubstr("from 0 to 1"));
    EXPECT_THAT(with([](Topology& t) { t.links[1].confidence = std::numeric_limits<double>::quiet_NaN(); }),
                HasSubstr("link 1 (b - s)"));
    EXPECT_THAT(with([](Topology& t) { t.links[1].standard_error = Delay{-1}; }),
                HasSubstr("standard error"));
    EXPECT_THAT(with([](Topology& t) { t.meshes = {2}; }), HasSubstr("mesh 0 is no switch"));
    EXPECT_THAT(with([](Topology& t) { t.meshes = {7}; }), HasSubstr("mesh 0 is no switch"));
    EXPECT_THAT(with([](Topology& t) { t.meshes = {5, 4}; }), HasSubstr("mesh 's' is out of order"));
    EXPECT_THAT(with([](Topology& t) { t.meshes = {5, 5}; }), HasSubstr("mesh 'u'"));
    EXPECT_THAT(with([](Topology& t) { t.links.back() = {4, 5, Delay{1}}; }), HasSubstr("not joined"));
}

}  // namespace
}  // namespace trellis
