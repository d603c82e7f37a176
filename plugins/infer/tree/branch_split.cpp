#include "plugins/infer/tree/branch_split.hpp"

#include "plugins/infer/tree/branch_cut.hpp"
#include "plugins/infer/tree/branch_orders.hpp"

#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

std::vector<bool> best_of_order(const BranchMeans& means, const std::vector<std::size_t>& order,
                                double sigma) {
    BranchCut cut(means, std::vector<bool>(means.count(), true), sigma);
    std::vector<bool> best;
    double most = 0;
    for (const std::size_t b : order) {
        cut.cross_over(b);
        if (!cut.allowed()) continue;
        const double evidence = cut.evidence();
        if (!best.empty() && evidence <= most) continue;
        most = evidence;
        best = cut.second();
    }
    return best;
}

std::vector<bool> improved(const BranchMeans& means, std::vector<bool> second, double sigma) {
    BranchCut cut(means, std::move(second), sigma);
    double now = cut.evidence();
    for (std::size_t moves = 0; moves < 4 * means.count(); ++moves) {
        std::optional<std::size_t> which;
        double most = now;
        for (std::size_t b = 0; b < means.count(); ++b) {
            if (!cut.may_cross(b)) continue;
            const double after = cut.evidence_without(b);
            if (after <= most + 1e-9 * std::abs(most)) continue;
            most = after;
            which = b;
        }
        if (!which) break;
        cut.cross_over(*which);
        now = cut.evidence();
    }
    return cut.second();
}

}  // namespace

double Split::gain(double length_us) const {
    return gain_of_link(length_us, standard_error * standard_error);
}

Split weigh_split(const BranchMeans& means, std::vector<bool> second, double sigma) {
    const BranchCut cut(means, std::move(second), sigma);
    return {cut.second(), cut.length(), std::sqrt(cut.variance()), cut.price()};
}

std::optional<Split> best_split(const BranchMeans& means, double sigma) {
    if (means.count() < 4) return std::nullopt;
    const BranchOrders orders(means);
    std::optional<Split> best;
    for (std::size_t k = 0; k < BranchOrders::count; ++k) {
        std::vector<bool> second = best_of_order(means, orders.order(k, means), sigma);
        Split split = weigh_split(means, improved(means, std::move(second), sigma), sigma);
        if (!best || split.evidence() > best->evidence()) best = std::move(split);
    }
    return best;
}

}  // namespace trellis::plugins::infer
