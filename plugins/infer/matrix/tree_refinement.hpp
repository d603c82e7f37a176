// The search for the tree closest to measured round trips, from a tree that is roughly right: subtrees are
// moved and all delays fitted again, in turn, until neither gains. Pure; equal input gives equal trees. It
// finds a minimum that no single move of a subtree improves, not always the least of all.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/matrix/delay_fit.hpp"
#include "plugins/infer/matrix/loss.hpp"
#include "plugins/infer/matrix/rtt_matrix.hpp"

namespace trellis::plugins::infer {

// Of a valid tree whose hosts are those of the matrix in the same order: a tree of those hosts whose cost is
// not more. Switches get new names; links between switches of no length (a millionth of the greatest round
// trip) are contracted.
Topology refine(const Topology& tree, const RttMatrix& matrix, const Loss& loss,
                FitQuality* quality = nullptr);

}  // namespace trellis::plugins::infer
