// What of a table of round-trip times a tree is solved from, and what becomes of the rest: hosts whose own
// round trips vary much more than the others' are kept out of the search and hung on the finished tree, and
// pairs that no tree has are left out. Pure.
#pragma once

#include "plugins/infer/tree/pair_table.hpp"
#include "plugins/infer/tree/switch_tree.hpp"

#include <vector>

namespace trellis::plugins::infer {

struct ScreenedPairs {
    std::vector<bool> noisy;   // by host of the whole table
    std::vector<Node> steady;  // the other hosts of it
    PairTable table;           // of these, in their order, without the pairs that take a detour
};

[[nodiscard]] ScreenedPairs screen(const PairTable& table);

// Hangs a host of the whole table that has no link yet on a switch of the tree: noise only ever adds to a
// round trip, so of those to the hosts of one switch the least counts, and the switch from which these agree
// best is its place.
void hang_noisy(SwitchTree& tree, const PairTable& table, Node host);

}  // namespace trellis::plugins::infer
