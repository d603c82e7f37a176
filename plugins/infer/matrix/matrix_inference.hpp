// From a matrix of round-trip times to the tree that fits it best, with what it leaves over: inference
// without measuring. Pure; equal matrices give equal trees.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include "plugins/infer/matrix/loss.hpp"
#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

// How far a tree's round trips are from the measured ones: relative errors |tree - rtt| / rtt, over the
// measured pairs whose rtt is above 0.
struct Residuals {
    struct OfPair {
        std::size_t a = 0, b = 0;  // hosts by number
        double rtt_us = 0;
        double tree_us = 0;
        double relative = 0;
    };
    struct OfHost {
        std::size_t host = 0;
        double median = 0;  // over the pairs of the host
    };

    double median = 0;
    double percentile_90 = 0;
    double mean = 0;
    std::size_t pairs = 0;
    std::vector<OfPair> worst_pairs;  // the worst first
    std::vector<OfHost> worst_hosts;
};

// The tree is valid and has the hosts of the matrix in the same order. Of pairs and of hosts, the `worst`
// worst.
[[nodiscard]] Residuals residuals_of(const Topology& tree, const RttMatrix& matrix, std::size_t worst = 10);

struct MatrixInference {
    Topology topology;
    Residuals residuals;
};

// An error of the round trip itself counts half of what the worst error can.
inline constexpr Loss relative_loss{1};

// A link between switches is drawn if its delay is that many of its standard errors: many links are
// candidates, and none should be there by chance.
inline constexpr double least_deviations = 4;

// Least relative errors: neighbour joining, then moves of subtrees by the squares of the relative errors,
// then by relative_loss, in which pairs that fit no tree do not count for more than they are; at last, links
// that chance explains are contracted. Standard errors and confidences of links follow from the residuals, as
// if the errors of pairs were independent of each other. The weights of the matrix do not matter, but for 0.
// Refused: no host, too many, or hosts that no chain of pairs connects.
[[nodiscard]] Result<MatrixInference> infer_from_matrix(RttMatrix matrix);

}  // namespace trellis::plugins::infer
