#include "agentd/core/end_merger.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

std::vector<HostId> range(std::uint32_t first, std::uint32_t last) {
    std::vector<HostId> ids;
    for (std::uint32_t id = first; id <= last; ++id)
        ids.push_back(static_cast<HostId>(id));
    return ids;
}

TEST(EndMerger, EqualEndsOfAWholeShareCostTheSameForAnyNumberOfHosts) {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t hosts : {10U, 10000U}) {
        EndMerger merger(HostSet(range(1, hosts)), true);
        for (const HostId host : range(1, hosts))
            EXPECT_TRUE(merger.add({host}, "the same").empty());
        EXPECT_TRUE(merger.complete());
        sizes.push_back(encode(merger.take()).size());
    }
    EXPECT_EQ(sizes[0], sizes[1]);
}

TEST(EndMerger, TheOthersAreNamedAndTheMostFrequentEndIsOfTheRest) {
    const HostSet share(range(1, 100));
    EndMerger merger(share, true);
    EXPECT_TRUE(merger.add(range(1, 40), "a").empty());
    EXPECT_TRUE(merger.add(range(41, 98), "b").empty());
    EXPECT_TRUE(merger.add(range(99, 100), "c").empty());
    const MergedEnds merged = merger.take();
    EXPECT_EQ(merged.rest, "b");
    const auto expanded = expand(merged, &share);
    ASSERT_EQ(expanded.size(), 3U);
    EXPECT_EQ(expanded[0].hosts.ids(), range(1, 40));
    EXPECT_EQ(expanded[1].hosts.ids(), range(99, 100));
    EXPECT_EQ(expanded[2].hosts.ids(), range(41, 98));
}

TEST(EndMerger, NamesEveryHostIfTheShareIsNotWhole) {
    EndMerger early(HostSet(range(1, 3)), true);
    EXPECT_TRUE(early.add(range(1, 2), "a").empty());
    EXPECT_EQ(expand(early.take(), nullptr).front().hosts.ids(), range(1, 2));
    EXPECT_TRUE(early.add(range(3, 3), "a").empty());
    EXPECT_FALSE(early.take().rest);

    EndMerger left(HostSet(range(1, 3)), true);
    EXPECT_TRUE(left.add(range(1, 2), "a").empty());
    left.remove(HostId{3});
    EXPECT_TRUE(left.complete());
    EXPECT_FALSE(left.take().rest);

    EndMerger moved(HostSet(range(1, 3)), true);
    EXPECT_TRUE(moved.add(range(1, 3), "a").empty());
    moved.forget_above();
    EXPECT_FALSE(moved.take().rest);
}

TEST(EndMerger, GivesBackWhatItDoesNotWaitFor) {
    EndMerger merger(HostSet(range(1, 2)), true);
    EXPECT_EQ(merger.add(range(2, 3), "a"), range(3, 3));
    EXPECT_EQ(merger.add(range(2, 2), "a"), range(2, 2));
}

TEST(Expand, WithoutTheShareTheRestIsNobody) {
    MergedEnds merged;
    merged.rest = "a";
    merged.groups = {{"b", "malformed"}};
    EXPECT_TRUE(expand(merged, nullptr).empty());
}

}  // namespace
}  // namespace trellis
