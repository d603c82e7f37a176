// Hosts that are slow.
#include "plugins/bcast/formation_test.hpp"

namespace trellis::plugins::bcast {
namespace {

TEST(BcastFormation, TakesASlowHostToTheEnd) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}}, 10), IsEmpty());
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {4, 8}, {5, 8}, {3, 6}}, 10), IsEmpty());
}

// Its giver is at no rate any more; who has all and only puts it in its place stands still, too.
TEST(BcastFormation, WhoGetsNothingFromOneThatHasAllGoesToTheEnd) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 7}, {4, 7}, {5, 7}}, 1), IsEmpty());
    for (const int number : {1, 2})
        formation.finished(host(number), {8, 0});
    EXPECT_THAT(run.go({{3, 0}, {4, 0}, {5, 0}}, 9), IsEmpty());
    EXPECT_THAT(run.go({{3, 0}, {4, 0}, {5, 0}}, 1),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)}));
    EXPECT_THAT(run.go({{4, 1}, {5, 1}}, 1), IsEmpty());
    EXPECT_THAT(run.go({{4, 0}, {5, 0}}, 20), IsEmpty());
}

// Else it would share links with the others until the end.
TEST(BcastFormation, WhoIsNotSlowAtTheEndGoesBackToItsPlaceOnce) {
    Formation formation(chain_of(5));
    Rates run(formation);
    const std::map<int, int> slow = {{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}};
    const std::map<int, int> shared = {{1, 8}, {2, 8}, {4, 4}, {5, 4}, {3, 4}};
    const auto taken_away = ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)});
    EXPECT_THAT(run.go(slow, 10), taken_away);
    EXPECT_THAT(run.go(shared, 2), IsEmpty());
    EXPECT_THAT(run.go(shared, 1), ElementsAre(Change{host(3), host(2)}, Change{host(4), host(3)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}}, 20), IsEmpty());
    EXPECT_THAT(run.go(slow, 3), IsEmpty());  // it need not be at its rate at once
    EXPECT_THAT(run.go(slow, 20), taken_away);
    EXPECT_THAT(run.go(shared, 20), IsEmpty());
}

// It gets nothing from one that has less than itself, for as long as that has.
TEST(BcastFormation, WhoHasMoreThanItsGiverAtTheEndIsNotSlowForThat) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 0}}, 4), IsEmpty());
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 0}, {4, 0}, {5, 0}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)}));
    const std::map<int, int> stands = {{1, 8}, {2, 8}, {4, 8}, {5, 8}, {3, 0}};
    EXPECT_THAT(run.go(stands, 5), IsEmpty());
    EXPECT_THAT(run.go(stands, 1), ElementsAre(Change{host(3), host(3)}));
}

// Where the one behind it is slow in its place, too, it was the giver that was.
TEST(BcastFormation, NobodyGoesBackToWhereTheNextOneIsSlow) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {4, 2}, {5, 2}, {3, 2}}, 4), IsEmpty());
}

TEST(BcastFormation, NobodyGoesBackToAPlaceThatIsNoMore) {
    Formation formation(chain_of(6));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}, {6, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(6)}));
    EXPECT_THAT(formation.passed(host(5), {host(4)}, host(2)), ElementsAre(Change{host(4), host(6)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {5, 4}, {6, 4}, {3, 4}}, 20), IsEmpty());
}

TEST(BcastFormation, SeesASlowHostWhereAllAreSlow) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 1}, {2, 1}, {3, 0}, {4, 0}}, 20),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(4)}));
}

// In a chain of five it is slow in its place, and at the end, too.
void make_the_third_wait(Rates& run) {
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {4, 8}, {5, 8}, {3, 2}}, 3), ElementsAre(Change{host(3), host(3)}));
}

// On its way it would share links with the others.
TEST(BcastFormation, WhoIsSlowAtTheEndTooWaitsForTheOthers) {
    Formation formation(chain_of(5));
    Rates run(formation);
    make_the_third_wait(run);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {4, 8}, {5, 8}, {3, 0}}, 10), IsEmpty());
    for (const int number : {1, 2, 4})
        formation.finished(host(number));
    EXPECT_THAT(formation.relieve(), IsEmpty());
    formation.finished(host(5));
    EXPECT_THAT(formation.relieve(), ElementsAre(Change{host(3), host(5)}));
    EXPECT_THAT(formation.relieve(), IsEmpty());
}

// It would have half of what that one can send.
TEST(BcastFormation, WhoIsAtTheEndTakesItFromNobodyWhomTheOthersNeed) {
    Formation formation(chain_of(6));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}, {6, 8}}, 2), IsEmpty());
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}}, 3), IsEmpty());
    EXPECT_THAT(formation.passed(host(3), {host(2)}, host(1)), ElementsAre(Change{host(2), host(5)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}}, 3), IsEmpty());
    std::map<int, int> rates = {{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}, {6, 8}};
    EXPECT_THAT(run.go(rates, 3), IsEmpty());  // it has much less
    rates[6] = 32;
    EXPECT_THAT(run.go(rates, 10), ElementsAre(Change{host(2), host(6)}));
    rates[6] = 8;
    EXPECT_THAT(run.go(rates, 10), IsEmpty());
}

TEST(BcastFormation, WhenTheOthersHaveItThoseAtTheEndTakeItOneFromTheOther) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}}, 2), IsEmpty());
    EXPECT_THAT(formation.passed(host(4), {host(3), host(2)}, host(1)),
                ElementsAre(Change{host(3), host(5)}, Change{host(2), host(5)}));
    const std::map<int, int> rates = {{1, 8}, {4, 8}, {5, 8}, {3, 6}, {2, 6}};
    EXPECT_THAT(run.go(rates, 4), IsEmpty());
    for (const int number : {1, 4, 5})
        formation.finished(host(number));
    EXPECT_THAT(run.go(rates, 4), ElementsAre(Change{host(3), host(2)}));
    EXPECT_THAT(run.go(rates, 4), IsEmpty());
}

// It gets nothing to give; a host that is near and answers is not always one that has what is wanted.
TEST(BcastFormation, NobodyTakesItFromOneThatWaits) {
    Formation formation(chain_of(5));
    Rates run(formation);
    make_the_third_wait(run);
    EXPECT_THAT(formation.passed(host(5), {host(4)}, host(3)), Contains(Change{host(5), host(2)}));
    EXPECT_EQ(formation.giver(host(5)), host(2));
}

// So that they cross each link once in each direction, as all do.
TEST(BcastFormation, WhoHasWaitedTakesItInTheOrderThatWasAskedFor) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}}, 2), IsEmpty());
    EXPECT_THAT(formation.passed(host(4), {host(3), host(2)}, host(1)),
                ElementsAre(Change{host(3), host(5)}, Change{host(2), host(5)}));
    const std::map<int, int> rates = {{1, 8}, {4, 8}, {5, 8}, {3, 1}, {2, 1}};
    EXPECT_THAT(run.go(rates, 10), ElementsAre(Change{host(3), host(3)}));
    EXPECT_THAT(run.go(rates, 10), ElementsAre(Change{host(2), host(2)}));
    for (const int number : {1, 4, 5})
        formation.finished(host(number));
    EXPECT_THAT(formation.relieve(), ElementsAre(Change{host(2), host(5)}, Change{host(3), host(2)}));
}

TEST(BcastFormation, WhoWasOnlySilentHasTimeAtTheEndToGetUpToItsRate) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}}, 10), IsEmpty());
    EXPECT_THAT(formation.passed(host(3), {host(2)}, host(1)), ElementsAre(Change{host(2), host(4)}));
    EXPECT_THAT(run.go({{1, 8}, {3, 8}, {4, 8}, {2, 2}}, 6), IsEmpty());
    EXPECT_THAT(run.go({{1, 8}, {3, 8}, {4, 8}, {2, 2}}, 4), ElementsAre(Change{host(2), host(2)}));
}

TEST(BcastFormation, WhoTookItFromOneThatWaitsTakesItFromItsGiver) {
    Formation formation(chain_of(6));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}, {6, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(6)}));
    EXPECT_THAT(run.go({{3, 2}}, 3), IsEmpty());  // nobody else speaks
    EXPECT_THAT(formation.passed(host(6), {host(5)}, host(4)), ElementsAre(Change{host(5), host(3)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {4, 8}, {6, 8}, {3, 2}}, 10),
                ElementsAre(Change{host(5), host(6)}, Change{host(3), host(3)}));
}

TEST(BcastFormation, WhoWaitsTakesItFromTheRootIfTheOthersAreGone) {
    Formation formation(chain_of(3));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 2}, {3, 2}}, 10),
                ElementsAre(Change{host(3), host(1)}, Change{host(2), host(3)}));
    EXPECT_THAT(run.go({{1, 8}, {3, 8}, {2, 2}}, 10), ElementsAre(Change{host(2), host(2)}));
    formation.leave_out(host(1));
    EXPECT_THAT(formation.relieve(), IsEmpty());
    formation.leave_out(host(3));
    EXPECT_THAT(formation.relieve(), ElementsAre(Change{host(2), root_id}));
}

TEST(BcastFormation, TakesAHostThatGivesSlowlyToTheEnd) {
    Formation formation(chain_of(5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(5)}));
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {4, 2}, {5, 2}, {3, 2}}, 10),
                ElementsAre(Change{host(4), host(1)}, Change{host(2), host(5)}));
    EXPECT_THAT(run.go({{1, 8}, {4, 8}, {5, 8}, {3, 8}, {2, 8}}, 10), IsEmpty());
}

TEST(BcastFormation, LeavesASlowLinkAsItIs) {
    Formation formation(chain_of(6));
    Rates run(formation);
    const std::map<int, int> rates = {{1, 8}, {2, 8}, {3, 8}, {4, 2}, {5, 2}, {6, 2}};
    EXPECT_THAT(run.go(rates, 10), ElementsAre(Change{host(5), host(3)}, Change{host(4), host(6)}));
    EXPECT_THAT(run.go(rates, 10), ElementsAre(Change{host(5), host(2)}, Change{host(3), host(6)}));
    EXPECT_THAT(run.go(rates, 40), IsEmpty());
}

// Beside nobody, but beside what it got itself; not if it has all that the source has.
TEST(BcastFormation, TakesTheFirstHostToTheEndWhenItBecomesSlow) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{0, 9}, {1, 8}, {2, 8}, {3, 8}, {4, 8}}, 10), IsEmpty());
    EXPECT_THAT(run.go({{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}, 10),
                ElementsAre(Change{host(2), root_id}, Change{host(1), host(4)}));
    EXPECT_THAT(run.go({{0, 8}, {2, 8}, {3, 8}, {4, 8}, {1, 8}}, 10), IsEmpty());
}

TEST(BcastFormation, LeavesTheFirstHostWhereItIsWhenTheRootStoodStill) {
    Formation formation(chain_of(3));
    Rates run(formation);
    EXPECT_THAT(run.go({{0, 9}, {1, 8}, {2, 8}, {3, 8}}, 4), IsEmpty());
    formation.forget_rates();
    EXPECT_THAT(run.go({{0, 2}, {1, 2}, {2, 2}, {3, 2}}, 1), IsEmpty());
    EXPECT_THAT(run.go({{0, 9}, {1, 8}, {2, 8}, {3, 8}}, 4), IsEmpty());
}

TEST(BcastFormation, LeavesTheFirstHostWhereItIsWhenTheSourceBecomesSlow) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8}}, 10), IsEmpty());
    EXPECT_THAT(run.go({{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}, 10), IsEmpty());
}

// The next one gets it from there as slowly: it is the link of the source.
TEST(BcastFormation, TakesOnlyOneAwayFromTheSource) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{0, 9}, {1, 8}, {2, 8}, {3, 8}, {4, 8}}, 10), IsEmpty());
    EXPECT_THAT(run.go({{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}, 10),
                ElementsAre(Change{host(2), root_id}, Change{host(1), host(4)}));
    EXPECT_THAT(run.go({{0, 2}, {2, 2}, {3, 2}, {4, 2}, {1, 2}}, 40), IsEmpty());
}

TEST(BcastFormation, TakesAHostThatGivesSlowlyAwayFromTheSource) {
    Formation formation(chain_of(4));
    Rates run(formation);
    const std::map<int, int> rates = {{0, 8}, {1, 8}, {2, 2}, {3, 2}, {4, 2}};
    EXPECT_THAT(run.go(rates, 10), ElementsAre(Change{host(3), host(1)}, Change{host(2), host(4)}));
    EXPECT_THAT(run.go({{0, 8}, {1, 8}, {3, 2}, {4, 2}, {2, 2}}, 10),
                ElementsAre(Change{host(3), root_id}, Change{host(1), host(4)}));
}

// The chunks that it had from an earlier broadcast come at once.
TEST(BcastFormation, WhatAHostHadKeptIsNoRate) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{0, 900}, {1, 0}, {2, 0}, {3, 0}, {4, 0}}, 1), IsEmpty());
    EXPECT_THAT(run.go({{0, 8}, {1, 500}, {2, 8}, {3, 8}, {4, 8}}, 1), IsEmpty());
    EXPECT_THAT(run.go({{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8}}, 10), IsEmpty());
}

// It has chosen by itself one that was moved behind it.
TEST(BcastFormation, NobodyTakesItFromWhoTakesItFromHim) {
    Formation formation(chain_of(6));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 2}, {4, 2}, {5, 2}, {6, 2}}, 10),
                ElementsAre(Change{host(4), host(2)}, Change{host(3), host(6)}));
    EXPECT_THAT(formation.passed(host(5), {host(4)}, host(3)),
                ElementsAre(Change{host(4), host(6)}, Change{host(5), host(2)}));
}

// All that a host gives to share what it can send, and are no slower than one another.
TEST(BcastFormation, OfATreeComparesThoseWhoTakeItFromTheSame) {
    Formation formation(formed(Method::tree, 14));
    Rates run(formation);
    std::map<int, int> rates = {{0, 99}, {8, 9}, {9, 3}, {10, 3}, {11, 3}, {12, 3}, {13, 3}, {14, 3}};
    EXPECT_THAT(run.go(rates, 20), IsEmpty());
    rates[10] = rates[11] = 1;
    EXPECT_THAT(run.go(rates, 20), ElementsAre(Change{host(11), host(8)}, Change{host(10), host(14)}));
}

TEST(BcastFormation, WhereAllTakeItFromTheSourceNobodyIsInTheWay) {
    Formation formation(formed(Method::flat, 5));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 1}, {4, 8}, {5, 8}}, 20), IsEmpty());
}

// One that has a delay and then keeps up is not slow, nor is one that everybody waits for.
TEST(BcastFormation, LeavesAHostThatWasOnlyHeldUp) {
    Formation formation(chain_of(4));
    Rates run(formation);
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 0}, {4, 0}}, 1), IsEmpty());
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 8}, {4, 8}}, 10), IsEmpty());
    EXPECT_THAT(run.go({{1, 0}, {2, 0}, {3, 0}, {4, 0}}, 10), IsEmpty());
}

// So long a system waits for an acknowledgement before it sends again.
TEST(BcastFormation, LeavesAHostThatStandsStillForAThirdOfASecond) {
    Formation formation(chain_of(4));
    Rates run(formation, std::chrono::milliseconds(100));
    const std::map<int, int> stands = {{1, 8}, {2, 8}, {3, 0}, {4, 0}};
    for (int times = 0; times < 3; ++times) {
        EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 7}, {4, 7}}, 10), IsEmpty());
        EXPECT_THAT(run.go(stands, 3), IsEmpty());
    }
    EXPECT_THAT(run.go({{1, 8}, {2, 8}, {3, 7}, {4, 7}}, 10), IsEmpty());
    EXPECT_THAT(run.go(stands, 4), IsEmpty());
    EXPECT_THAT(run.go(stands, 1), ElementsAre(Change{host(4), host(2)}, Change{host(3), host(4)}));
}

}  // namespace
}  // namespace trellis::plugins::bcast
