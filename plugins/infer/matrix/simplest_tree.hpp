// The tree of a matrix that is given to the user: of two that fit about as well, the one with fewer switches.
// Pure; equal matrices give equal trees.
//
// Where there are switches, and the round trips between them, a survey (matrix_survey.hpp) finds them and
// nothing else, while the least of all errors (matrix_inference.hpp) also follows what is noise. Where round
// trips are not those of a tree, as between hosts all over the world, the closest tree is worth its switches.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include "plugins/infer/matrix/matrix_inference.hpp"
#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct SimplestTree {
    Topology topology;  // of the hosts of the matrix, in the same order
    Residuals residuals;
    std::vector<std::string> remarks;  // for the user, one a line
};

// Beyond so many hosts only the closest tree is sought, and so it is if a tenth of the round trips are that
// far from it: a survey would take long and find what is no tree.
inline constexpr std::size_t most_surveyed_hosts = 1'000;
inline constexpr double most_surveyed_error = 0.25;

// Fits about as well: the median and the mean of the relative errors are at most so many times those of the
// closest tree, and that much more.
inline constexpr double equal_ratio = 1.1;
inline constexpr double equal_margin = 0.0005;

// Refused: what infer_from_matrix refuses.
[[nodiscard]] Result<SimplestTree> simplest_tree(const RttMatrix& matrix);

}  // namespace trellis::plugins::infer
