#include "plugins/infer/survey/batch.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

std::vector<HostNumber> first_hosts(std::size_t count) {
    std::vector<HostNumber> hosts(count);
    std::iota(hosts.begin(), hosts.end(), HostNumber{0});
    return hosts;
}

TEST(Tournament, EveryPairMeetsOnceAndBothKnowWhoMeasures) {
    for (const std::size_t count : {0u, 1u, 2u, 3u, 8u, 17u, 64u}) {
        const Batch batch = tournament(first_hosts(count), count, Probing{});
        EXPECT_EQ(batch.pairs(), count * (count == 0 ? 0 : count - 1) / 2);
        std::set<std::pair<HostNumber, HostNumber>> pairs;
        for (HostNumber a = 0; a < count; ++a)
            for (const Turn& turn : batch.turns[a]) {
                pairs.insert(std::minmax(a, turn.peer));
                const auto& others = batch.turns[turn.peer];
                EXPECT_EQ(std::ranges::count(others, Turn{a, !turn.measures}), 1);
            }
        EXPECT_EQ(pairs.size(), batch.pairs());
    }
}

// Each host's next turn is with one whose next turn is with it, until all turns are taken: nobody waits for
// ever.
TEST(Tournament, TurnsNeverWaitForOneAnotherInACircle) {
    constexpr std::size_t count = 17;
    const Batch batch = tournament(first_hosts(count), count, Probing{});
    std::vector<std::size_t> next(count, 0);
    for (std::size_t met = 0; met < batch.pairs(); ++met) {
        HostNumber a = 0;
        const auto meets = [&](HostNumber host) {
            if (next[host] == batch.turns[host].size()) return false;
            const HostNumber peer = batch.turns[host][next[host]].peer;
            return next[peer] < batch.turns[peer].size() && batch.turns[peer][next[peer]].peer == host;
        };
        while (a < count && !meets(a))
            ++a;
        ASSERT_LT(a, count);
        const HostNumber peer = batch.turns[a][next[a]].peer;
        ++next[a];
        ++next[peer];
    }
}

TEST(Tournament, EachMeasuresAboutHalfOfItsPairs) {
    const Batch batch = tournament(first_hosts(64), 64, Probing{});
    for (const auto& turns : batch.turns) {
        const auto measured = std::ranges::count(turns, true, &Turn::measures);
        EXPECT_GE(measured, 30);
        EXPECT_LE(measured, 33);
    }
}

TEST(Tournament, OthersHaveNoTurns) {
    const Batch batch = tournament({1, 4, 5}, 6, Probing{});
    EXPECT_EQ(batch.pairs(), 3u);
    EXPECT_TRUE(batch.turns[0].empty() && batch.turns[2].empty() && batch.turns[3].empty());
    EXPECT_EQ(batch.turns[4].size(), 2u);
}

}  // namespace
}  // namespace trellis::plugins::infer
