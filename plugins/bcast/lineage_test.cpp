#include "plugins/bcast/lineage.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace trellis::plugins::bcast {
namespace {

using ::testing::ElementsAre;

TEST(BcastLineage, AskAlongTheChainFromTheNearestOneOn) {
    EXPECT_THAT(givers_of(Method::chain, 4), ElementsAre(3, 2, 1, 0));
    EXPECT_THAT(givers_of(Method::chain, 1), ElementsAre(0));
}

TEST(BcastLineage, AskAlongTheTreeThenTheOthersBeforeThem) {
    EXPECT_THAT(givers_of(Method::tree, 7), ElementsAre(6, 4, 5, 3, 2, 1, 0));
    EXPECT_THAT(givers_of(Method::tree, 4), ElementsAre(0, 3, 2, 1));
}

TEST(BcastLineage, AskTheSourceThenTheOthersBeforeThem) {
    EXPECT_THAT(givers_of(Method::flat, 4), ElementsAre(0, 3, 2, 1));
}

// A node gives to as many as its depth leaves, log2 of all in the tree at most.
TEST(BcastLineage, TheTreeIsAsDeepAsTheLogarithm) {
    std::vector<std::size_t> depth(1024, 0), children(1024, 0);
    for (std::size_t node = 1; node < depth.size(); ++node) {
        const std::size_t giver = giver_of(Method::tree, node);
        depth[node] = depth[giver] + 1;
        ++children[giver];
    }
    EXPECT_EQ(std::ranges::max(depth), 10u);
    EXPECT_EQ(children[0], 10u);
}

TEST(BcastLineage, NobodyWaitsForHimselfAndEverybodyMayAskAllBeforeHim) {
    for (const Method method : {Method::chain, Method::tree, Method::flat}) {
        for (std::size_t node = 1; node < 70; ++node) {
            std::vector<std::size_t> givers = givers_of(method, node);
            EXPECT_EQ(givers.front(), giver_of(method, node));
            std::ranges::sort(givers);
            ASSERT_EQ(givers.size(), node);
            for (std::size_t i = 0; i < node; ++i)
                EXPECT_EQ(givers[i], i);
        }
    }
}

TEST(BcastLineage, KnowsItsMethodsByName) {
    EXPECT_EQ(method_named("tree"), Method::tree);
    EXPECT_FALSE(method_named("trees"));
}

}  // namespace
}  // namespace trellis::plugins::bcast
