#include "plugins/infer/tree/branch_cut.hpp"

#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

// Means of round trips stray somewhat farther than normal ones: clocks that count in steps, errors of whole
// hosts.
constexpr double heavy_tails = 1.25;

double ln_choose(double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

double gain_of_link(double length, double variance) {
    return length > 0 ? length * length / variance / (2 * heavy_tails) : 0;
}

BranchCut::BranchCut(const BranchMeans& means, std::vector<bool> second, double sigma)
    : means_(means), second_(std::move(second)), sigma_(sigma), near_(means.count()), far_(means.count()) {
    for (std::size_t b = 0; b < means.count(); ++b)
        count(b, second_[b] ? 1 : 0, 1);
    for (std::size_t b = 0; b < means.count(); ++b)
        sum_row(b);
    for (std::size_t b = 0; b < means.count(); ++b)
        add_row(b);
}

double BranchCut::variance() const {
    return sigma_ * sigma_ * (share(0) * share(1) + (1 / side_[0].pairs() + 1 / side_[1].pairs()) / 4);
}

double BranchCut::price() const {
    const double p = static_cast<double>(means_.count());
    return ln_choose(p, side_[1].branches) + std::log(p);
}

double BranchCut::evidence_without(std::size_t b) {
    cross_over(b, false);
    const double after = evidence();
    cross_over(b, false);
    return after;
}

void BranchCut::count(std::size_t b, std::size_t side, double sign) {
    const double v = means_.hosts[b];
    side_[side].branches += sign;
    side_[side].v += sign * v;
    side_[side].v2 += sign * v * v;
    side_[side].v3 += sign * v * v * v;
}

void BranchCut::sum_row(std::size_t b) {
    near_[b] = far_[b] = Row{};
    for (std::size_t c = 0; c < means_.count(); ++c) {
        if (c == b) continue;
        Row& row = second_[c] ? far_[b] : near_[b];
        const double weighed = means_.hosts[c] * means_.at(b, c);
        row.v += weighed;
        row.v2 += means_.hosts[c] * weighed;
    }
}

void BranchCut::add_row(std::size_t b) {
    const double v = means_.hosts[b];
    if (second_[b]) {
        side_[1].within += v * far_[b].v / 2;
    } else {
        side_[0].within += v * near_[b].v / 2;
        add_across(b, 1);
    }
}

void BranchCut::add_across(std::size_t b, double sign) {
    const double v = sign * means_.hosts[b], v2 = v * means_.hosts[b];
    p11_ += v * far_[b].v;
    p12_ += v * far_[b].v2;
    p21_ += v2 * far_[b].v;
    p22_ += v2 * far_[b].v2;
}

void BranchCut::add_back(std::size_t b, double sign) {
    const double v = sign * means_.hosts[b], v2 = v * means_.hosts[b];
    p11_ += v * near_[b].v;
    p21_ += v * near_[b].v2;
    p12_ += v2 * near_[b].v;
    p22_ += v2 * near_[b].v2;
}

void BranchCut::cross_over(std::size_t b, bool keep_rows) {
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

void BranchCut::move_in_rows(std::size_t b) {
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

double BranchCut::cross() const {
    const Side &a = side_[0], &b = side_[1];
    return (a.v * b.v * p11_ - a.v * p12_ - b.v * p21_ + p22_) / (4 * a.pairs() * b.pairs());
}

double BranchCut::share(std::size_t side) const {
    const Side& s = side_[side];
    return (s.v * s.v * s.v - 2 * s.v * s.v2 + s.v3) / (4 * s.pairs() * s.pairs());
}

}  // namespace trellis::plugins::infer
