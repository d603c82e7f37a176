#include "agentd/core/router.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

constexpr HostId a{1}, b{2}, below_a{3}, stranger{9};

TEST(Router, LearnsWhatIsBelowEachChild) {
    Router router(root_id);
    router.add_child(a);
    router.add_child(b);
    EXPECT_TRUE(router.learn(a, below_a));
    EXPECT_FALSE(router.learn(b, below_a)) << "a host cannot be below two children";
    EXPECT_FALSE(router.learn(b, root_id));
    EXPECT_TRUE(router.originates_below(a, below_a));
    EXPECT_FALSE(router.originates_below(b, below_a));
    EXPECT_EQ(router.child_towards(below_a), a);
    EXPECT_EQ(router.child_towards(stranger), std::nullopt);
}

TEST(Router, ALostChildTakesItsSubtreeWithIt) {
    Router router(root_id);
    router.add_child(a);
    router.add_child(b);
    router.learn(a, below_a);
    EXPECT_EQ(router.remove_child(a), (std::vector<HostId>{a, below_a}));
    EXPECT_EQ(router.child_towards(below_a), std::nullopt);
    EXPECT_TRUE(router.learn(b, below_a)) << "it may come back elsewhere";
}

TEST(Router, AHostMovesBelowAnotherChild) {
    Router router(HostId{1});
    for (const HostId child : {HostId{2}, HostId{3}})
        router.add_child(child);
    EXPECT_TRUE(router.learn(HostId{2}, HostId{20}));
    EXPECT_FALSE(router.learn(HostId{3}, HostId{20}));
    EXPECT_TRUE(router.move(HostId{3}, HostId{20}));
    EXPECT_FALSE(router.move(HostId{3}, HostId{20})) << "it is there";
    EXPECT_FALSE(router.move(HostId{3}, HostId{1})) << "this node itself";
    EXPECT_EQ(router.child_towards(HostId{20}), HostId{3});
    EXPECT_FALSE(router.originates_below(HostId{2}, HostId{20}));
}

// a has 3 below it, on which 4 hangs, on which 5 hangs.
Router three_tiers() {
    Router router(root_id);
    for (const HostId child : {a, b})
        router.add_child(child);
    for (const std::uint32_t id : {3U, 4U, 5U}) {
        EXPECT_TRUE(router.learn(a, HostId{id}));
        router.hang(HostId{id}, HostId{id == 3 ? 1 : id - 1});
    }
    return router;
}

TEST(Router, ALossBelowTakesWhatHangsOnTheLostHost) {
    Router router = three_tiers();
    EXPECT_EQ(router.lose(a, HostId{3}, HostId{4}, {HostId{4}, HostId{5}}),
              (std::vector<HostId>{HostId{4}, HostId{5}}));
    EXPECT_EQ(router.child_towards(HostId{4}), std::nullopt);
    EXPECT_EQ(router.child_towards(HostId{3}), a);
}

TEST(Router, LateNewsOfALossLeaveWhatHangsElsewhereMeanwhile) {
    Router router = three_tiers();
    router.hang(HostId{4}, a);  // another parent below the same child
    EXPECT_TRUE(router.lose(a, HostId{3}, HostId{4}, {HostId{4}, HostId{5}}).empty());
    router.hang(HostId{5}, HostId{3});
    EXPECT_EQ(router.lose(a, a, HostId{4}, {HostId{4}, HostId{5}}), std::vector<HostId>{HostId{4}});
}

TEST(Router, ALossTakesNeitherAChildNorWhatIsBelowAnother) {
    Router router = three_tiers();
    EXPECT_TRUE(router.lose(b, b, HostId{4}, {HostId{4}, HostId{5}}).empty());
    EXPECT_TRUE(router.lose(a, a, stranger, {a, HostId{3}}).empty());
    EXPECT_EQ(router.child_towards(a), a);
}

TEST(Router, SplitsASetByChild) {
    Router router(HostId{5});
    router.add_child(a);
    router.add_child(b);
    router.learn(a, below_a);
    const auto split = router.split(HostSet({HostId{5}, a, below_a, b, stranger}));
    EXPECT_TRUE(split.self);
    EXPECT_EQ(split.children.at(a), (std::vector<HostId>{a, below_a}));
    EXPECT_EQ(split.children.at(b), (std::vector<HostId>{b}));
    EXPECT_EQ(split.elsewhere, (std::vector<HostId>{stranger}));
}

TEST(HostSet, TravelsAsRanges) {
    std::vector<HostId> ids;
    for (std::uint32_t i = 1; i <= 1000; ++i)
        ids.push_back(HostId{i});
    const std::string body = HostSet(ids).prefix_to("payload");
    EXPECT_EQ(body.size(), 4 + 8 + 7U);
    const auto parts = HostSet::read_prefix(body);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->first.ids(), ids);
    EXPECT_EQ(parts->second, "payload");
}

TEST(HostSet, HostileBytesAreRefused) {
    const std::string body = HostSet({a, below_a}).prefix_to("");
    for (std::size_t size = 0; size < body.size(); ++size) {
        EXPECT_FALSE(HostSet::read_prefix(std::string_view(body).substr(0, size)));
    }
    EXPECT_FALSE(HostSet::read_prefix(std::string("\1\0\0\0\0\0\0\0\xff\xff\xff\xff", 12)))
        << "too many hosts";
    EXPECT_FALSE(HostSet::read_prefix(std::string("\2\0\0\0\5\0\0\0\5\0\0\0\1\0\0\0\1\0\0\0", 20)))
        << "ranges descend";
}

}  // namespace
}  // namespace trellis
