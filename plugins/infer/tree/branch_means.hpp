// What lies between the branches of one switch on the average: what a split of the switch is judged by
// (branch_split.hpp). A value.
#pragma once

#include <cstddef>
#include <vector>

namespace trellis::plugins::infer {

// Means of round trips between the branches of one switch, less anything of the form y(b) + y(c).
struct BranchMeans {
    std::vector<double> hosts;  // of each branch; the weight of a pair of branches is the product of theirs
    std::vector<double> mean;   // by branch and branch, symmetric; the diagonal is not looked at

    [[nodiscard]] std::size_t count() const { return hosts.size(); }
    [[nodiscard]] double& at(std::size_t b, std::size_t c) { return mean[b * count() + c]; }
    [[nodiscard]] double at(std::size_t b, std::size_t c) const { return mean[b * count() + c]; }
    // Subtracts the y(b) that fit best.
    void centre();
};

}  // namespace trellis::plugins::infer
