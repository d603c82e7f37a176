// Hosts that are gone, silent, or find nobody.
#include "plugins/bcast/formation_test.hpp"

namespace trellis::plugins::bcast {
namespace {

TEST(BcastFormation, TakesAHostThatOthersGoRoundToTheEnd) {
    Formation formation(chain_of(5));
    EXPECT_THAT(formation.passed(host(4), {host(3)}, host(2)), ElementsAre(Change{host(3), host(5)}));
    EXPECT_THAT(formation.passed(host(4), {host(3)}, host(2)), IsEmpty());
}

// The last one may be as silent as the one that is moved; then it is of no use there.
TEST(BcastFormation, NamesNoSilentHostUntilItIsHeardAgain) {
    Formation formation(chain_of(5));
    EXPECT_THAT(formation.passed(host(4), {host(3), host(2)}, host(1)),
                ElementsAre(Change{host(3), host(5)}, Change{host(2), host(5)}));
    formation.progressed(host(2), {1, 0}, TimePoint());
    EXPECT_THAT(formation.found_nobody(host(4)),
                ElementsAre(Change{host(5), host(1)}, Change{host(4), host(2)}));
}

// One that has fallen silent costs who is named to it the time to find that out.
TEST(BcastFormation, NamesAHostThatSpokeLately) {
    Formation formation(chain_of(5));
    const TimePoint now = TimePoint() + std::chrono::seconds(9);
    for (int number = 1; number <= 5; ++number)
        formation.progressed(host(number), {1, 0}, now - std::chrono::seconds(number));
    formation.progressed(host(1), {2, 0}, now);
    EXPECT_THAT(formation.passed(host(4), {host(3)}, host(2)), ElementsAre(Change{host(3), host(1)}));
}

// Nobody may take it, through others, from himself.
TEST(BcastFormation, TakesWhoFindsNobodyToTheEndAndTurnsThoseBehindItRound) {
    Formation formation(chain_of(3));
    EXPECT_EQ(formation.giver(host(1)), root_id);
    EXPECT_THAT(formation.found_nobody(host(1)), IsEmpty());
    EXPECT_THAT(formation.found_nobody(host(2)),
                ElementsAre(Change{host(3), host(1)}, Change{host(2), host(3)}));
    EXPECT_THAT(formation.found_nobody(host(2)), IsEmpty());
    formation.leave_out(host(1));
    EXPECT_EQ(formation.giver(host(3)), root_id);
}

TEST(BcastFormation, OfATreeTurnsAllRoundWhoTookItFromASilentHost) {
    Formation formation(formed(Method::tree, 8));
    EXPECT_EQ(formation.giver(host(7)), host(6));
    EXPECT_EQ(formation.giver(host(8)), root_id);
    EXPECT_THAT(formation.passed(host(6), {host(4)}, host(3)),
                ElementsAre(Change{host(5), root_id}, Change{host(4), host(8)}));
    EXPECT_EQ(formation.giver(host(6)), host(3));
}

TEST(BcastFormation, HearsWhenSomebodySpoke) {
    Formation formation(chain_of(2));
    const TimePoint then = TimePoint() + std::chrono::seconds(3);
    EXPECT_EQ(formation.heard(host(1)), TimePoint());
    formation.progressed(host(1), {}, then);
    EXPECT_EQ(formation.heard(host(1)), then);
}

TEST(BcastFormation, WhoSaysWhomHeCannotReachIsSentToAnotherOne) {
    Formation formation(chain_of(4));
    EXPECT_THAT(formation.passed(host(3), {host(2)}, host(1)), ElementsAre(Change{host(2), host(4)}));
    formation.progressed(host(2), {1, 0}, TimePoint());
    formation.cannot_reach(host(2), {host(4)});
    EXPECT_THAT(formation.passed(host(2), {}, host(1)), ElementsAre(Change{host(2), host(3)}));
}

// Nobody else has what it has.
TEST(BcastFormation, LeavesTheSourceWhereItIsWhenSomebodyGoesRoundIt) {
    Begin begin = chain_of(4);
    begin.source = host(1);
    Formation formation(begin);
    EXPECT_THAT(formation.passed(host(3), {host(2), host(1)}, root_id),
                ElementsAre(Change{host(2), host(4)}));
    EXPECT_EQ(formation.giver(host(4)), host(3));
}

TEST(BcastFormation, AtTheEndNobodyTakesItFromWhoTakesItFromHim) {
    Formation formation(chain_of(6));
    EXPECT_THAT(formation.passed(host(4), {host(3)}, host(2)), ElementsAre(Change{host(3), host(6)}));
    formation.progressed(host(3), {1, 0}, TimePoint());
    EXPECT_THAT(formation.passed(host(5), {host(4)}, host(2)), ElementsAre(Change{host(4), host(3)}));
    formation.progressed(host(4), {1, 0}, TimePoint());
    EXPECT_THAT(formation.passed(host(3), {host(6)}, host(5)),
                ElementsAre(Change{host(6), host(4)}, Change{host(3), host(5)}));
}

}  // namespace
}  // namespace trellis::plugins::bcast
