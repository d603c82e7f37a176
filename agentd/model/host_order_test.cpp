#include "agentd/model/host_order.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::ElementsAre;

TEST(HostOrder, NumbersInNamesCountByTheirValue) {
    EXPECT_THAT(name_order({"n10", "n9", "n009a", "m11", "n1"}), ElementsAre(3, 4, 1, 2, 0));
}

TEST(HostOrder, EveryHostIsDrawnOnceAndASeedGivesOneOrder) {
    std::vector<std::size_t> order = random_order(100, 7);
    EXPECT_EQ(order, random_order(100, 7));
    EXPECT_NE(order, random_order(100, 8));
    EXPECT_FALSE(std::ranges::is_sorted(order));
    std::ranges::sort(order);
    std::vector<std::size_t> all(100);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(order, all);
}

}  // namespace
}  // namespace trellis
