#include "plugins/infer/matrix/delay_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trellis::plugins::infer {
namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

DelayFit::DelayFit(std::size_t node_count, std::span<const TopologyLink> links, const RttMatrix& matrix)
    : paths_(node_count, links, matrix) {
    for (const PathSums::Pair& pair : paths_.pairs()) {
        rtts_.push_back(matrix.rtt_us(pair.a, pair.b));
        given_weights_.push_back(matrix.weight(pair.a, pair.b));
    }
}

void DelayFit::weigh(const std::vector<double>& lengths, const Loss& loss) {
    std::vector<double> errors;
    paths_.along(lengths, errors);
    weights_.resize(rtts_.size());
    for (std::size_t k = 0; k < rtts_.size(); ++k) {
        const double error = std::sqrt(given_weights_[k]) * (errors[k] - rtts_[k]);
        weights_[k] = given_weights_[k] * loss.weight(error);
    }
    paths_.across(weights_, diagonal_);
}

void DelayFit::improve(std::vector<double>& lengths, const Loss& loss, int passes, double precision) {
    constexpr int most_descents = 200;
    constexpr double worth_a_pass = 1e-5;  // of the cost
    const bool reweighs = loss.scale > 0;
    double before = reweighs ? cost(lengths, loss) : 0;
    for (int pass = 0; pass < passes; ++pass) {
        weigh(lengths, loss);
        double whole = 0;
        for (std::size_t k = 0; k < rtts_.size(); ++k)
            whole += weights_[k] * rtts_[k] * rtts_[k];
        for (int left = most_descents; left > 0 && descend(lengths, precision * whole); --left) {
        }
        if (!reweighs) break;
        const double after = cost(lengths, loss);
        if (after >= before * (1 - worth_a_pass)) break;
        before = after;
    }
}

double DelayFit::cost(const std::vector<double>& lengths, const Loss& loss) const {
    std::vector<double> errors;
    paths_.along(lengths, errors);
    double sum = 0;
    for (std::size_t k = 0; k < rtts_.size(); ++k)
        sum += loss.cost(std::sqrt(given_weights_[k]) * (errors[k] - rtts_[k]));
    return sum;
}

// Weighted, what the lengths leave over of the round trips; the sum of squares.
double DelayFit::residuals(const std::vector<double>& lengths, std::vector<double>& out) const {
    paths_.along(lengths, out);
    double sum = 0;
    for (std::size_t k = 0; k < rtts_.size(); ++k) {
        const double left = rtts_[k] - out[k];
        out[k] = weights_[k] * left;
        sum += out[k] * left;
    }
    return sum;
}

// The direction of descent over the links that are free to move: not those at zero that would become
// negative.
struct DelayFit::Slope {
    std::vector<double> residual;  // of the normal equations
    std::vector<double> is_free;   // 0 or 1
    double gain = 0;               // estimated, of the sum of squares
};

DelayFit::Slope DelayFit::slope(const std::vector<double>& lengths) const {
    Slope slope;
    std::vector<double> of_pairs;
    (void)residuals(lengths, of_pairs);
    paths_.across(of_pairs, slope.residual);
    slope.is_free.assign(lengths.size(), 1);
    for (std::size_t link = 0; link < lengths.size(); ++link) {
        double& down = slope.residual[link];
        const bool held = diagonal_[link] <= 0 || (lengths[link] <= 0 && down <= 0);
        if (held)
            down = slope.is_free[link] = 0;
        else
            slope.gain += down * down / diagonal_[link];
    }
    return slope;
}

// Conjugate gradients over the free links, scaled by the diagonal, until they are at their minimum or one
// would become negative. False: nothing worth while is left to gain.
bool DelayFit::descend(std::vector<double>& lengths, double enough) const {
    Slope at = slope(lengths);
    if (at.gain <= enough) return false;
    std::vector<double> before, direction(lengths.size()), curved, of_pairs;
    double gain = at.gain, last_gain = 0;
    for (std::size_t step = 0; step < lengths.size() && gain > std::max(enough, 1e-6 * at.gain); ++step) {
        for (std::size_t link = 0; link < lengths.size(); ++link) {
            const double steepest = at.is_free[link] > 0 ? at.residual[link] / diagonal_[link] : 0;
            direction[link] = steepest + (last_gain > 0 ? gain / last_gain : 0) * direction[link];
        }
        paths_.along(direction, of_pairs);
        for (std::size_t k = 0; k < of_pairs.size(); ++k)
            of_pairs[k] *= weights_[k];
        paths_.across(of_pairs, curved);
        const double stride = gain / product(direction, curved);
        if (!std::isfinite(stride)) break;
        last_gain = gain;
        gain = 0;
        before = lengths;
        for (std::size_t link = 0; link < lengths.size(); ++link) {
            lengths[link] += stride * direction[link];
            at.residual[link] -= at.is_free[link] * stride * curved[link];
            if (at.is_free[link] > 0) gain += at.residual[link] * at.residual[link] / diagonal_[link];
        }
        if (std::ranges::any_of(lengths, [](double length) { return length < 0; })) {
            step_back_inside(lengths, before);
            break;
        }
    }
    return true;
}

// What has become negative is set to zero, if that is still better than before; if not, all go only as far as
// the first one reaches zero.
void DelayFit::step_back_inside(std::vector<double>& lengths, const std::vector<double>& before) const {
    std::vector<double> inside = lengths, of_pairs;
    double part = 1;
    for (std::size_t link = 0; link < lengths.size(); ++link) {
        if (lengths[link] >= 0) continue;
        inside[link] = 0;
        part = std::min(part, before[link] / (before[link] - lengths[link]));
    }
    const double squares_before = residuals(before, of_pairs);
    if (residuals(inside, of_pairs) >= squares_before)
        for (std::size_t link = 0; link < lengths.size(); ++link) {
            inside[link] = before[link] + part * (lengths[link] - before[link]);
            if (lengths[link] < 0 && inside[link] < 1e-9 * before[link]) inside[link] = 0;
        }
    lengths = inside;
}

FitQuality fit_delays(Topology& tree, const RttMatrix& matrix, const Loss& loss) {
    DelayFit fit(tree.node_count(), tree.links, matrix);
    std::vector<double> lengths;
    for (const TopologyLink& link : tree.links)
        lengths.push_back(2 * link.delay.count());
    const bool squares = loss.scale <= 0;
    fit.improve(lengths, loss, 30, squares ? 1e-18 : 1e-9);
    for (std::size_t link = 0; link < lengths.size(); ++link)
        tree.links[link].delay = Delay{lengths[link] / 2};
    return {fit.cost(lengths, loss), matrix.measured_pairs(), tree.links.size()};
}

}  // namespace trellis::plugins::infer
