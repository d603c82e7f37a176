#include "plugins/infer/survey/branch_split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr int centring_rounds = 40;
constexpr int iterations = 60;
constexpr std::size_t eigenvectors = 3;
// Means of round trips stray somewhat farther than normal ones: clocks that count in steps, errors of whole
// hosts.
constexpr double heavy_tails = 1.25;

double ln_choose(double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double gain_of(double length, double variance) {
    return length > 0 ? length * length / variance / (2 * heavy_tails) : 0;
}

// The sums over one split from which its length and evidence follow, kept up to date as branches cross over.
class Cut {
  public:
    Cut(const BranchMeans& means, std::vector<bool> second, double sigma)
        : means_(means),
          second_(std::move(second)),
          sigma_(sigma),
          near_(means.count()),
          far_(means.count()) {
        for (std::size_t b = 0; b < means.count(); ++b)
            count(b, second_[b] ? 1 : 0, 1);
        for (std::size_t b = 0; b < means.count(); ++b)
            sum_row(b);
        for (std::size_t b = 0; b < means.count(); ++b)
            add_row(b);
    }

    [[nodiscard]] bool allowed() const { return side_[0].branches >= 2 && side_[1].branches >= 2; }
    [[nodiscard]] bool may_cross(std::size_t b) const { return side_[second_[b] ? 1 : 0].branches > 2; }
    [[nodiscard]] const std::vector<bool>& second() const { return second_; }

    [[nodiscard]] double length() const { return cross() - (within(0) + within(1)) / 2; }
    [[nodiscard]] double variance() const {
        return sigma_ * sigma_ * (share(0) * share(1) + (1 / side_[0].pairs() + 1 / side_[1].pairs()) / 4);
    }
    [[nodiscard]] double evidence() const { return gain_of(length(), variance()) - price(); }
    [[nodiscard]] double price() const {
        const double p = static_cast<double>(means_.count());
        return ln_choose(p, side_[1].branches) + std::log(p);
    }

    // What evidence() would be with the branch on the other side.
    [[nodiscard]] double evidence_without(std::size_t b) {
        cross_over(b, false);
        const double after = evidence();
        cross_over(b, false);
        return after;
    }
    void cross_over(std::size_t b) { cross_over(b, true); }

  private:
    // Of one side: sums of the powers of v, and of v v' M over the pairs within.
    struct Side {
        double branches = 0, v = 0, v2 = 0, v3 = 0, within = 0;
        [[nodiscard]] double pairs() const { return (v * v - v2) / 2; }
    };
    // Of one branch towards one side: sums of v M and of v^2 M.
    struct Row {
        double v = 0, v2 = 0;
    };

    void count(std::size_t b, std::size_t side, double sign) {
        const double v = means_.hosts[b];
        side_[side].branches += sign;
        side_[side].v += sign * v;
        side_[side].v2 += sign * v * v;
        side_[side].v3 += sign * v * v * v;
    }
    // near_: towards side 0, far_: towards side 1, whatever the branch's own side.
    void sum_row(std::size_t b) {
        near_[b] = far_[b] = Row{};
        for (std::size_t c = 0; c < means_.count(); ++c) {
            if (c == b) continue;
            Row& row = second_[c] ? far_[b] : near_[b];
            const double weighed = means_.hosts[c] * means_.at(b, c);
            row.v += weighed;
            row.v2 += means_.hosts[c] * weighed;
        }
    }
    void add_row(std::size_t b) {
        const double v = means_.hosts[b];
        if (second_[b]) {
            side_[1].within += v * far_[b].v / 2;
        } else {
            side_[0].within += v * near_[b].v / 2;
            add_across(b, 1);
        }
    }
    // A branch of side 0 towards side 1.
    void add_across(std::size_t b, double sign) {
        const double v = sign * means_.hosts[b], v2 = v * means_.hosts[b];
        p11_ += v * far_[b].v;
        p12_ += v * far_[b].v2;
        p21_ += v2 * far_[b].v;
        p22_ += v2 * far_[b].v2;
    }
    // The same of a branch of side 1 towards side 0.
    void add_back(std::size_t b, double sign) {
        const double v = sign * means_.hosts[b], v2 = v * means_.hosts[b];
        p11_ += v * near_[b].v;
        p21_ += v * near_[b].v2;
        p12_ += v2 * near_[b].v;
        p22_ += v2 * near_[b].v2;
    }
    void cross_over(std::size_t b, bool keep_rows) {
        const double v = means_.hosts[b];
        const bool from_second = second_[b];
        if (from_second) {
            add_back(b, -1);
            side_[1].within -= v * far_[b].v;
            side_[0].within += v * near_[b].v;
            add_across(b, 1);
        } else {
            add_across(b, -1);
            side_[0].within -= v * near_[b].v;
            side_[1].within += v * far_[b].v;
            add_back(b, 1);
        }
        count(b, from_second ? 1 : 0, -1);
        count(b, from_second ? 0 : 1, 1);
        second_[b] = !from_second;
        if (keep_rows) move_in_rows(b);
    }
    void move_in_rows(std::size_t b) {
        const double sign = second_[b] ? 1 : -1, v = means_.hosts[b];
        for (std::size_t c = 0; c < means_.count(); ++c) {
            if (c == b) continue;
            const double weighed = sign * v * means_.at(b, c);
            far_[c].v += weighed;
            far_[c].v2 += v * weighed;
            near_[c].v -= weighed;
            near_[c].v2 -= v * weighed;
        }
    }

    [[nodiscard]] double within(std::size_t side) const { return side_[side].within / side_[side].pairs(); }
    // Each branch's part is v (V - v) / 2 Z, Z being the pairs of its side.
    [[nodiscard]] double cross() const {
        const Side &a = side_[0], &b = side_[1];
        return (a.v * b.v * p11_ - a.v * p12_ - b.v * p21_ + p22_) / (4 * a.pairs() * b.pairs());
    }
    // Sum of the squares of these parts, each divided by v.
    [[nodiscard]] double share(std::size_t side) const {
        const Side& s = side_[side];
        return (s.v * s.v * s.v - 2 * s.v * s.v2 + s.v3) / (4 * s.pairs() * s.pairs());
    }

    const BranchMeans& means_;
    std::vector<bool> second_;
    double sigma_;
    std::vector<Row> near_, far_;
    std::array<Side, 2> side_;
    double p11_ = 0, p12_ = 0, p21_ = 0, p22_ = 0;
};

// The orders of the branches along the leading eigenvectors of the weighted residuals, taken negative:
// branches of one side are nearer to one another than to the others.
class Orders {
  public:
    explicit Orders(const BranchMeans& means) : count_(means.count()), matrix_(count_ * count_) {
        for (std::size_t b = 0; b < count_; ++b)
            for (std::size_t c = 0; c < count_; ++c)
                if (b != c)
                    matrix_[b * count_ + c] = -std::sqrt(means.hosts[b] * means.hosts[c]) * means.at(b, c);
        shift();
        for (std::size_t k = 0; k < eigenvectors; ++k)
            vectors_[k] = start(k);
        for (int i = 0; i < iterations; ++i)
            step();
    }

    [[nodiscard]] std::vector<std::size_t> order(std::size_t k, const BranchMeans& means) const {
        std::vector<std::size_t> result(count_);
        std::iota(result.begin(), result.end(), std::size_t{0});
        std::ranges::sort(result, {}, [&](std::size_t b) {
            return std::pair(vectors_[k][b] / std::sqrt(means.hosts[b]), b);
        });
        return result;
    }

  private:
    // Makes the greatest eigenvalue the one of greatest size.
    void shift() {
        double squares = 0;
        for (const double x : matrix_)
            squares += x * x;
        const double amount = std::sqrt(squares / static_cast<double>(count_)) * 1.5;
        for (std::size_t b = 0; b < count_; ++b)
            matrix_[b * count_ + b] = amount;
    }
    [[nodiscard]] std::vector<double> start(std::size_t k) const {
        std::vector<double> vector(count_);
        for (std::size_t b = 0; b < count_; ++b)  // anything that is no eigenvector
            vector[b] = std::sin(static_cast<double>((b + 1) * (2 * k + 1)) * 0.7) +
                        0.01 * static_cast<double>(b % 7);
        return vector;
    }
    void step() {
        std::vector<double> next(count_);
        for (std::size_t k = 0; k < eigenvectors; ++k) {
            for (std::size_t b = 0; b < count_; ++b)
                next[b] =
                    std::inner_product(vectors_[k].begin(), vectors_[k].end(), &matrix_[b * count_], 0.0);
            for (std::size_t earlier = 0; earlier < k; ++earlier)
                remove(next, vectors_[earlier]);
            const double norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
            if (norm > 0)
                for (std::size_t b = 0; b < count_; ++b)
                    vectors_[k][b] = next[b] / norm;
        }
    }
    static void remove(std::vector<double>& from, const std::vector<double>& unit) {
        const double part = std::inner_product(from.begin(), from.end(), unit.begin(), 0.0);
        for (std::size_t b = 0; b < from.size(); ++b)
            from[b] -= part * unit[b];
    }

    std::size_t count_;
    std::vector<double> matrix_;
    std::array<std::vector<double>, eigenvectors> vectors_;
};

std::vector<bool> best_of_order(const BranchMeans& means, const std::vector<std::size_t>& order,
                                double sigma) {
    Cut cut(means, std::vector<bool>(means.count(), true), sigma);
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
    Cut cut(means, std::move(second), sigma);
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

void BranchMeans::centre() {
    const double total = std::accumulate(hosts.begin(), hosts.end(), 0.0);
    std::vector<double> y(count(), 0);
    for (int round = 0; round < centring_rounds; ++round)
        for (std::size_t b = 0; b < count(); ++b) {
            double sum = 0;
            for (std::size_t c = 0; c < count(); ++c)
                if (c != b) sum += hosts[c] * (at(b, c) - y[c]);
            y[b] = sum / (total - hosts[b]);
        }
    for (std::size_t b = 0; b < count(); ++b)
        for (std::size_t c = 0; c < count(); ++c)
            at(b, c) = b == c ? 0 : at(b, c) - y[b] - y[c];
}

double Split::gain(double length_us) const {
    return gain_of(length_us, standard_error * standard_error);
}

Split weigh_split(const BranchMeans& means, std::vector<bool> second, double sigma) {
    const Cut cut(means, std::move(second), sigma);
    return {cut.second(), cut.length(), std::sqrt(cut.variance()), cut.price()};
}

std::optional<Split> best_split(const BranchMeans& means, double sigma) {
    if (means.count() < 4) return std::nullopt;
    const Orders orders(means);
    std::optional<Split> best;
    for (std::size_t k = 0; k < eigenvectors; ++k) {
        std::vector<bool> second = best_of_order(means, orders.order(k, means), sigma);
        Split split = weigh_split(means, improved(means, std::move(second), sigma), sigma);
        if (!best || split.evidence() > best->evidence()) best = std::move(split);
    }
    return best;
}

}  // namespace trellis::plugins::infer
