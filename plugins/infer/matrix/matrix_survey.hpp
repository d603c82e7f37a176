// The default method with a matrix in place of the hosts: the survey asks for the pairs that it would have
// measured, and the matrix answers. Pure; equal matrices give equal trees.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct SurveyedMatrix {
    Topology topology;                 // of all hosts of the matrix, in the same order
    std::vector<std::string> remarks;  // for the user, one a line
};

// A matrix has one figure for each pair, and no sets whose minima tell how steady it is: how far the pair is
// from the tree `near`, of the same hosts, stands for that. Delays are fitted to all pairs of the matrix at
// last, errors counting in proportion to the round trips. Nothing if too few pairs are known to place every
// host.
[[nodiscard]] std::optional<SurveyedMatrix> survey_matrix(RttMatrix matrix, const Topology& near);

}  // namespace trellis::plugins::infer
