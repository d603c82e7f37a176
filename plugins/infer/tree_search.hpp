// The tree that explains a table of round-trip times best, with as few switches as it takes: the heart of the
// default method. Pure and deterministic.
//
// All hosts begin on one switch. A switch is split where the mean round trips between its branches say so
// (branch_split.hpp); two switches are made one where they do not, the weakest link first; a host moves to
// the switch that fits all its round trips best; and so on until nothing changes. Each decision weighs means
// over all pairs that it concerns against the noise that is left, so that a link far shorter than the noise
// of one pair is found, and noise alone makes no switch.
//
// With n hosts, s switches and all pairs measured: O(n^2) memory, O(s n^2) time for each round, some rounds.
#pragma once

#include "plugins/infer/pair_table.hpp"
#include "plugins/infer/switch_tree.hpp"

#include <vector>

namespace trellis::plugins::infer {

struct SolvedTree {
    SwitchTree tree;
    double sigma_us = 0;      // of one pair's round trip, from what the tree leaves unexplained
    std::vector<bool> noisy;  // hosts whose own round trips vary much more than the others'
};

// `confidence`: with which no link is drawn that is not there. Hosts without any measured pair hang
// somewhere.
[[nodiscard]] SolvedTree solve_tree(const PairTable& table, double confidence);

}  // namespace trellis::plugins::infer
