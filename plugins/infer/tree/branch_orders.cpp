#include "plugins/infer/tree/branch_orders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr int iterations = 60;

// What of a vector lies along one of length 1.
void take_off_part(std::vector<double>& from, const std::vector<double>& unit) {
    const double part = std::inner_product(from.begin(), from.end(), unit.begin(), 0.0);
    for (std::size_t b = 0; b < from.size(); ++b)
        from[b] -= part * unit[b];
}

}  // namespace

BranchOrders::BranchOrders(const BranchMeans& means)
    : branches_(means.count()), matrix_(branches_ * branches_) {
    for (std::size_t b = 0; b < branches_; ++b)
        for (std::size_t c = 0; c < branches_; ++c)
            if (b != c)
                matrix_[b * branches_ + c] = -std::sqrt(means.hosts[b] * means.hosts[c]) * means.at(b, c);
    shift();
    for (std::size_t k = 0; k < count; ++k)
        vectors_[k] = start(k);
    for (int i = 0; i < iterations; ++i)
        step();
}

std::vector<std::size_t> BranchOrders::order(std::size_t k, const BranchMeans& means) const {
    std::vector<std::size_t> result(branches_);
    std::iota(result.begin(), result.end(), std::size_t{0});
    std::ranges::sort(
        result, {}, [&](std::size_t b) { return std::pair(vectors_[k][b] / std::sqrt(means.hosts[b]), b); });
    return result;
}

// Makes the greatest eigenvalue the one of greatest size.
void BranchOrders::shift() {
    double squares = 0;
    for (const double x : matrix_)
        squares += x * x;
    const double amount = std::sqrt(squares / static_cast<double>(branches_)) * 1.5;
    for (std::size_t b = 0; b < branches_; ++b)
        matrix_[b * branches_ + b] = amount;
}

std::vector<double> BranchOrders::start(std::size_t k) const {
    std::vector<double> vector(branches_);
    for (std::size_t b = 0; b < branches_; ++b)  // anything that is no eigenvector
        vector[b] =
            std::sin(static_cast<double>((b + 1) * (2 * k + 1)) * 0.7) + 0.01 * static_cast<double>(b % 7);
    return vector;
}

void BranchOrders::step() {
    std::vector<double> next(branches_);
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t b = 0; b < branches_; ++b)
            next[b] =
                std::inner_product(vectors_[k].begin(), vectors_[k].end(), &matrix_[b * branches_], 0.0);
        for (std::size_t earlier = 0; earlier < k; ++earlier)
            take_off_part(next, vectors_[earlier]);
        const double norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        if (norm > 0)
            for (std::size_t b = 0; b < branches_; ++b)
                vectors_[k][b] = next[b] / norm;
    }
}

}  // namespace trellis::plugins::infer
