// The orders of a switch's branches along the leading eigenvectors of the weighted residuals, taken negative:
// branches of one side of a split are nearer to one another than to the others, so that the split is near to
// a cut of such an order. Pure.
#pragma once

#include "plugins/infer/tree/branch_means.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace trellis::plugins::infer {

class BranchOrders {
  public:
    static constexpr std::size_t count = 3;

    // `means`: centred.
    explicit BranchOrders(const BranchMeans& means);

    // Along the eigenvector k, which is below `count`; `means`: the same.
    [[nodiscard]] std::vector<std::size_t> order(std::size_t k, const BranchMeans& means) const;

  private:
    void shift();
    [[nodiscard]] std::vector<double> start(std::size_t k) const;
    void step();

    std::size_t branches_;
    std::vector<double> matrix_;
    std::array<std::vector<double>, count> vectors_;
};

}  // namespace trellis::plugins::infer
