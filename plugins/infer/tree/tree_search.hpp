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

#include "plugins/infer/tree/link_finding.hpp"
#include "plugins/infer/tree/pair_table.hpp"
#include "plugins/infer/tree/switch_tree.hpp"

#include <optional>
#include <vector>

namespace trellis::plugins::infer {

struct SolvedTree {
    SwitchTree tree;
    double sigma_us = 0;                  // of one pair's round trip, from what the tree leaves unexplained
    std::vector<bool> noisy;              // hosts whose own round trips vary much more than the others'
    std::vector<double> host_confidence;  // that it hangs on that switch rather than on another, 0 to 1
    std::vector<LinkFinding> links;       // all that are drawn
    std::vector<LinkFinding> doubtful;    // not drawn, though the measurements favour them
    std::vector<Node> meshes;             // switches that stand for parts that are no tree
};

struct SearchOptions {
    double confidence = 0.99;        // with which no link is drawn that is not there
    std::optional<double> sigma_us;  // of one pair of weight 1, where it is known; else it is estimated
};

// Hosts without any measured pair hang somewhere.
[[nodiscard]] SolvedTree solve_tree(const PairTable& table, const SearchOptions& options);

}  // namespace trellis::plugins::infer
