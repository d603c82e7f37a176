#include "plugins/infer/matrix/delay_fit.hpp"

#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

// The square matrix of the normal equations: symmetric, no eigenvalue negative.
class NormalMatrix {
  public:
    NormalMatrix(std::vector<double> rows, std::size_t count) : rows_(std::move(rows)), count_(count) {}

    // The diagonal of the inverse; 0 for a row that follows from those before it.
    [[nodiscard]] std::vector<double> inverse_diagonal() &&;

  private:
    double* row(std::size_t number) { return &rows_[number * count_]; }
    void factorize();
    void invert_row(std::size_t number, std::vector<double>& inverse);

    std::vector<double> rows_;
    std::size_t count_;
};

// Cholesky: the upper triangle becomes the factor.
void NormalMatrix::factorize() {
    constexpr double dependent = 1e-10;  // of a pivot, what rounding leaves of it
    std::vector<double> given(count_);
    for (std::size_t k = 0; k < count_; ++k)
        given[k] = row(k)[k];
    for (std::size_t pivot = 0; pivot < count_; ++pivot) {
        double* const factor = row(pivot);
        const double root = factor[pivot] > dependent * given[pivot] ? std::sqrt(factor[pivot]) : 0;
        for (std::size_t k = pivot; k < count_; ++k)
            factor[k] = root > 0 ? factor[k] / root : 0;
        for (std::size_t below = pivot + 1; below < count_; ++below) {
            const double share = factor[below];
            double* const rest = row(below);
            for (std::size_t k = below; k < count_; ++k)
                rest[k] -= share * factor[k];
        }
    }
}

// Of the inverse of the factor's transpose, from its rows before.
void NormalMatrix::invert_row(std::size_t number, std::vector<double>& inverse) {
    const double pivot = row(number)[number];
    if (pivot <= 0) return;
    double* const mine = &inverse[number * count_];
    mine[number] = 1;
    for (std::size_t before = 0; before < number; ++before) {
        const double share = row(before)[number];
        const double* const other = &inverse[before * count_];
        for (std::size_t k = 0; k <= before; ++k)
            mine[k] -= share * other[k];
    }
    for (std::size_t k = 0; k <= number; ++k)
        mine[k] /= pivot;
}

std::vector<double> NormalMatrix::inverse_diagonal() && {
    factorize();
    std::vector<double> inverse(rows_.size()), diagonal(count_);
    for (std::size_t number = 0; number < count_; ++number) {
        invert_row(number, inverse);
        for (std::size_t k = 0; k <= number; ++k)
            diagonal[k] += inverse[number * count_ + k] * inverse[number * count_ + k];
    }
    return diagonal;
}

}  // namespace

void set_standard_errors(Topology& tree, const RttMatrix& matrix) {
    if (tree.links.size() > most_links_with_errors) return;
    const PathSums paths(tree.node_count(), tree.links, matrix);
    std::vector<double> weights;
    weights.reserve(paths.pairs().size());
    for (const PathSums::Pair& pair : paths.pairs())
        weights.push_back(matrix.weight(pair.a, pair.b));
    const std::vector<double> variances =
        NormalMatrix(paths.across_both(weights), tree.links.size()).inverse_diagonal();
    for (std::size_t link = 0; link < variances.size(); ++link)
        tree.links[link].standard_error = Delay{std::sqrt(variances[link]) / 2};
}

}  // namespace trellis::plugins::infer
