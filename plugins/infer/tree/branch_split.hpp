// Whether one switch is really two: a test on the mean round-trip times between its branches. Pure.
//
// If the branches b of a switch hang together at one point, the mean round trip of two of them is a sum of
// two terms, M(b, c) = y(b) + y(c). If a link of round trip l parts them into A and B, it is y(b) + y(c) + l
// across it. For any such split
//
//   l = sum over A x B of a(b) a(c) M(b, c) - (mean of M within A + mean of M within B) / 2
//
// does not depend on y when the pairs within A are weighted by v(b) v(c) and a(b) is half the weight that b
// has in them. With v the number of hosts of a branch this counts each pair of hosts about equally, so that a
// link far below the noise of one pair shows.
#pragma once

#include "plugins/infer/tree/branch_means.hpp"

#include <optional>
#include <vector>

namespace trellis::plugins::infer {

struct Split {
    std::vector<bool> second;  // by branch: on which side
    double length = 0;         // round trip of the link between the two sides, us
    double standard_error = 0;
    double price = 0;  // ln of the number of splits of these sizes, among which it was chosen, and of sizes

    // ln of how much likelier a link of this length makes the measurements than its absence.
    [[nodiscard]] double gain(double length_us) const;
    // What is above 0 is more than chance offers.
    [[nodiscard]] double evidence() const { return gain(length) - price; }
};

// The given split of the branches, each side having at least two. `sigma`: the standard deviation of one
// pair, us.
[[nodiscard]] Split weigh_split(const BranchMeans& means, std::vector<bool> second, double sigma);

// The split with the most evidence that a search finds; nothing for fewer than four branches. It sorts the
// branches by the leading eigenvectors of their residuals, cuts each order where the evidence is greatest,
// and then moves single branches over while that adds evidence. O(p^2) for p branches and each of the steps.
[[nodiscard]] std::optional<Split> best_split(const BranchMeans& means, double sigma);

}  // namespace trellis::plugins::infer
