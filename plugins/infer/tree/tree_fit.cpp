#include "plugins/infer/tree/tree_fit.hpp"

#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr int most_fit_rounds = 30;
constexpr int leg_rounds = 30;

}  // namespace

TreeFit::TreeFit(const PairTable& table, std::optional<double> sigma_us)
    : table_(table),
      n_(table.hosts()),
      known_sigma_(sigma_us),
      tree_(SwitchTree::star(n_)),
      leg_(n_, 0),
      residual_(n_ * n_, 0) {
    for (Node a = 0; a < n_; ++a)
        leg_[a] = first_leg(a);
    least_sigma_ = noise_of_sets();
    fit();
}

Node TreeFit::split(Node node, const Split& split) {
    const Node added = tree_.split(node, split.second);
    tree_.set_length(node, added, split.length);
    return added;
}

void TreeFit::move(Node host, Node to) {
    tree_.move(host, tree_.switch_of(host), to);
    measure_switches();
}

void TreeFit::fit() {
    double moved = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_fit_rounds && moved > least_sigma_ / 10; ++round) {
        measure_switches();
        fit_legs();
        compute_residuals();
        moved = fit_links();
    }
    measure_switches();
    fit_legs();
    compute_residuals();
    estimate_sigma();
}

SwitchTree TreeFit::whole_tree() const {
    SwitchTree result = tree_;
    for (Node host = 0; host < n_; ++host)
        result.set_length(host, result.switch_of(host), std::max(0.0, leg_[host]));
    return result;
}

std::vector<double> TreeFit::residuals() const {
    std::vector<double> result;
    for (Node a = 0; a < n_; ++a)
        for (Node b = a + 1; b < n_; ++b)
            if (table_.measured(a, b)) result.push_back(residual_[a * n_ + b]);
    return result;
}

BranchMeans TreeFit::means_of(const std::vector<std::vector<Node>>& branches, double limit) const {
    BranchMeans means{{}, std::vector<double>(branches.size() * branches.size(), 0)};
    for (const std::vector<Node>& branch : branches)
        means.hosts.push_back(weight_of(branch));
    for (std::size_t b = 0; b < branches.size(); ++b)
        for (std::size_t c = b + 1; c < branches.size(); ++c) {
            double sum = 0, measured = 0;
            for (const Node i : branches[b])
                for (const Node j : branches[c]) {
                    const double weight = table_.weight(i) * table_.weight(j);
                    const double most = limit / std::sqrt(weight);
                    sum += weight * std::clamp(residual_[i * n_ + j], -most, most);
                    measured += table_.measured(i, j) ? weight : 0;
                }
            means.at(b, c) = means.at(c, b) = measured > 0 ? sum / measured : 0;
        }
    return means;
}

double TreeFit::weight_of(const std::vector<Node>& hosts) const {
    double sum = 0;
    for (const Node host : hosts)
        sum += table_.weight(host);
    return sum;
}

Split TreeFit::weigh_link(Node s, Node t) const {
    LinkBranches both = tree_.branches_of_both(s, t);
    return weigh_split(means_of(both.hosts), std::move(both.second), sigma_);
}

double TreeFit::evidence(Node s, Node t) const {
    const Split split = weigh_link(s, t);
    return split.gain(tree_.length(s, t) + split.length) - split.price;
}

// Half of the least round trip; two hosts alone have nothing better.
double TreeFit::first_leg(Node host) const {
    double least = std::numeric_limits<double>::infinity();
    for (Node other = 0; other < n_; ++other)
        if (table_.measured(host, other)) least = std::min(least, table_.rtt(host, other));
    return std::isinf(least) ? 0 : least / 2;
}

double TreeFit::noise_of_sets() const {
    std::vector<double> spreads, rtts;
    for (Node a = 0; a < n_; ++a)
        for (Node b = a + 1; b < n_; ++b)
            if (table_.measured(a, b)) {
                spreads.push_back(table_.spread(a, b));
                rtts.push_back(table_.rtt(a, b));
            }
    return median(spreads) / 3 + 1e-2 + 1e-7 * median(rtts);
}

// The links of hosts have no length in tree_, so that distances are those between switches.
void TreeFit::measure_switches() {
    switches_ = tree_.switches();
    std::vector<std::size_t> place(tree_.nodes(), 0);
    for (std::size_t s = 0; s < switches_.size(); ++s)
        place[switches_[s]] = s;
    between_.assign(switches_.size() * switches_.size(), 0);
    for (std::size_t s = 0; s < switches_.size(); ++s) {
        const std::vector<double> far = tree_.distances(switches_[s]);
        for (std::size_t t = 0; t < switches_.size(); ++t)
            between_[s * switches_.size() + t] = far[switches_[t]];
    }
    at_.resize(n_);
    for (Node host = 0; host < n_; ++host)
        at_[host] = place[tree_.switch_of(host)];
}

void TreeFit::fit_legs() {
    std::vector<double> rest(n_, 0), count(n_, 0);
    for (Node a = 0; a < n_; ++a)
        for (Node b = 0; b < n_; ++b)
            if (table_.measured(a, b)) {
                rest[a] += table_.weight(b) * (table_.rtt(a, b) - between(at_[a], at_[b]));
                count[a] += table_.weight(b);
            }
    for (int round = 0; round < leg_rounds; ++round) {
        double moved = 0;
        for (Node a = 0; a < n_; ++a) {
            if (count[a] == 0) continue;
            double others = 0;
            for (Node b = 0; b < n_; ++b)
                if (table_.measured(a, b)) others += table_.weight(b) * leg_[b];
            const double leg = (rest[a] - others) / count[a];
            moved = std::max(moved, std::abs(leg - leg_[a]));
            leg_[a] = leg;
        }
        if (moved < 1e-6) break;
    }
}

void TreeFit::compute_residuals() {
    for (Node a = 0; a < n_; ++a)
        for (Node b = 0; b < n_; ++b)
            residual_[a * n_ + b] =
                table_.measured(a, b) ? table_.rtt(a, b) - leg_[a] - leg_[b] - between(at_[a], at_[b]) : 0;
}

// Returns by how much a length changed at most.
double TreeFit::fit_links() {
    double moved = 0;
    for (const auto& [s, t] : tree_.links()) {
        const double before = tree_.length(s, t);
        const double after = std::max(0.0, before + weigh_link(s, t).length);
        moved = std::max(moved, std::abs(after - before));
        tree_.set_length(s, t, after);
    }
    return moved;
}

void TreeFit::estimate_sigma() {
    if (known_sigma_) {
        sigma_ = *known_sigma_;
        return;
    }
    std::vector<double> sizes = residuals();
    for (double& size : sizes)
        size = std::abs(size);
    const double pairs = static_cast<double>(sizes.size());
    const double parameters = static_cast<double>(n_ + switches_.size() - 1);
    const double freedom = std::max(pairs - parameters, 0.0);
    const double robust = deviation_of(std::move(sizes));
    // As if eight more pairs had been seen whose noise is that of the sets.
    sigma_ = std::sqrt((pairs * robust * robust + 8 * least_sigma_ * least_sigma_) / (freedom + 8));
    sigma_ = std::max(sigma_, least_sigma_);
}

}  // namespace trellis::plugins::infer
