#include "plugins/infer/tree/pair_screening.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// Two switches 30 us apart, of the hosts below 5 and of the others; legs of 10 us.
double rtt_of_two_switches(Node a, Node b) {
    return 20 + ((a < 5) == (b < 5) ? 0 : 30);
}

PairTable table_of_two_switches() {
    PairTable table(10);
    for (Node a = 0; a < 10; ++a)
        for (Node b = a + 1; b < 10; ++b)
            table.add(a, b, rtt_of_two_switches(a, b), 1);
    return table;
}

TEST(PairScreening, KeepsWhatATreeHas) {
    const PairTable table = table_of_two_switches();
    const ScreenedPairs screened = screen(table);
    EXPECT_EQ(screened.noisy, std::vector<bool>(10, false));
    ASSERT_EQ(screened.steady.size(), 10u);
    for (Node a = 0; a < 10; ++a)
        for (Node b = a + 1; b < 10; ++b)
            EXPECT_EQ(screened.table.rtt(a, b), table.rtt(a, b));
}

TEST(PairScreening, LeavesAHostOutThatIsNeverSteady) {
    PairTable table(10);
    for (Node a = 0; a < 10; ++a)
        for (Node b = a + 1; b < 10; ++b)
            table.add(a, b, rtt_of_two_switches(a, b), a == 3 || b == 3 ? 20 : 1);
    const ScreenedPairs screened = screen(table);
    ASSERT_TRUE(screened.noisy[3]);
    ASSERT_EQ(screened.steady, (std::vector<Node>{0, 1, 2, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(screened.table.rtt(3, 4), table.rtt(4, 5));  // by their places among the steady ones
}

TEST(PairScreening, LeavesAPairOutThatTakesADetour) {
    PairTable table(10);
    for (Node a = 0; a < 10; ++a)
        for (Node b = a + 1; b < 10; ++b)
            table.add(a, b, rtt_of_two_switches(a, b) + (a == 1 && b == 2 ? 500 : 0), 1);
    const ScreenedPairs screened = screen(table);
    EXPECT_FALSE(screened.table.measured(1, 2));
    EXPECT_TRUE(screened.table.measured(1, 3));
}

// All its pairs are slower than they should be, but one to each switch.
TEST(PairScreening, ANoisyHostHangsWhereItsLeastRoundTripsSay) {
    PairTable table(10);
    for (Node a = 0; a < 10; ++a)
        for (Node b = a + 1; b < 10; ++b) {
            const bool slow = b == 9 && a != 2 && a != 7;
            table.add(a, b, rtt_of_two_switches(a, b) + (slow ? 5 + 3 * a : 0), 1);
        }
    SwitchTree tree(10);
    const Node left = tree.add_switch(), right = tree.add_switch();
    for (Node host = 0; host < 9; ++host)
        tree.link(host, host < 5 ? left : right, 10);
    tree.link(left, right, 30);
    hang_noisy(tree, table, 9);
    EXPECT_EQ(tree.switch_of(9), right);
    EXPECT_NEAR(tree.length(9, right), 10, 1e-9);
}

}  // namespace
}  // namespace trellis::plugins::infer
