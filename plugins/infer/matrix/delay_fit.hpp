// The delays of a given tree's links that fit measured round trips best, and how sure they are. Pure; the
// tree's shape is never changed.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/matrix/loss.hpp"
#include "plugins/infer/matrix/path_sums.hpp"
#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

// Weighted least squares over links that must not be negative, by conjugate gradients on the links that are
// free: each step takes one pass over the measured pairs, and the normal equations are never written down.
// Owned by one fit of one tree.
class DelayFit {
  public:
    // `matrix` may go once this is made.
    DelayFit(std::size_t node_count, std::span<const TopologyLink> links, const RttMatrix& matrix);

    // Improves the links' lengths (round trip, in the unit of the matrix) from what they are, until the sum
    // of squares cannot fall by more than `precision` of what it is without any link. With a loss that is not
    // of squares: by `passes` reweightings.
    void improve(std::vector<double>& lengths, const Loss& loss, int passes, double precision);
    // Of lengths: the sum over the pairs of the loss of error / standard deviation.
    [[nodiscard]] double cost(const std::vector<double>& lengths, const Loss& loss) const;

  private:
    struct Slope;
    void weigh(const std::vector<double>& lengths, const Loss& loss);
    [[nodiscard]] double residuals(const std::vector<double>& lengths, std::vector<double>& out) const;
    [[nodiscard]] Slope slope(const std::vector<double>& lengths) const;
    [[nodiscard]] bool descend(std::vector<double>& lengths, double enough) const;
    void step_back_inside(std::vector<double>& lengths, const std::vector<double>& before) const;

    PathSums paths_;
    std::vector<double> rtts_, given_weights_, weights_;  // of the pairs
    std::vector<double> diagonal_;                        // of the normal equations
};

// What a fit left over.
struct FitQuality {
    double cost = 0;  // the sum of the losses
    std::size_t pairs = 0;
    std::size_t links = 0;

    // The estimated variance of an error that should be 1 if weights are inverse variances (of squares
    // alone).
    [[nodiscard]] double scatter() const {
        return pairs > links ? cost / static_cast<double>(pairs - links) : 0;
    }
};

// Sets all delays of the tree, whose hosts are those of the matrix in the same order; starts from those it
// has. One way: half of a length. A robust loss is brought down from those delays to a minimum near by.
FitQuality fit_delays(Topology& tree, const RttMatrix& matrix, const Loss& loss = {});

// Sets the standard errors of all delays by least squares, were the weights the inverse variances of the
// pairs. Of links that the pairs cannot tell apart, one counts as known and gets 0. Cubic in the links:
// beyond most_links_with_errors, none is set.
inline constexpr std::size_t most_links_with_errors = 2'500;
void set_standard_errors(Topology& tree, const RttMatrix& matrix);

}  // namespace trellis::plugins::infer
