#include "plugins/estimate/model/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>

namespace trellis::plugins::estimate {
namespace {

struct Term {
    double weight;  // (k_i / k_l)^alpha_i
    double alpha;
};

// The terms of one sum in the source's formulas.
class Subsets {
  public:
    Subsets(std::vector<Term> terms, double log_end) : terms_(std::move(terms)), log_end_(log_end) {}

    // alpha_i INT (k_i/y)^alpha_i PROD_{j != i} (1 - (k_j/y)^alpha_j) dy over y from 1 to the end, in units
    // of k_l.
    [[nodiscard]] double part_of(std::size_t host) const {
        return terms_[host].alpha * sum(0, host, terms_[host].weight, terms_[host].alpha);
    }

  private:
    // Over the subsets of the hosts from `next` on but `host`, with the sign of their size.
    [[nodiscard]] double sum(std::size_t next, std::size_t host, double weight, double alpha) const {
        if (next == host) return sum(next + 1, host, weight, alpha);
        if (next >= terms_.size()) return weight * integral(alpha);
        return sum(next + 1, host, weight, alpha) -
               sum(next + 1, host, weight * terms_[next].weight, alpha + terms_[next].alpha);
    }
    // Of y^-alpha from 1 to the end.
    [[nodiscard]] double integral(double alpha) const {
        if (log_end_ == std::numeric_limits<double>::infinity()) return 1 / (alpha - 1);
        if (alpha == 1) return log_end_;
        return -std::expm1((1 - alpha) * log_end_) / (alpha - 1);
    }

    std::vector<Term> terms_;
    double log_end_;
};

// What the formulas need of the hosts.
struct Parts {
    std::vector<Pareto> powers;
    double greatest_mass = 0;  // 0: there is none
    double greatest_k = 0;
    double end = 0;  // 0: there is none
    bool diverges = false;
};

void add(const Pareto& pareto, Parts& parts) {
    parts.powers.push_back(pareto);
    parts.greatest_k = std::max(parts.greatest_k, pareto.k);
}

Result<Parts> parts_of(std::span<const Distribution> hosts) {
    Parts parts;
    for (const Distribution& host : hosts) {
        if (host.c != 0) return invalid("the closed form knows no c");
        if (const auto* pareto = std::get_if<Pareto>(&host.shape)) {
            parts.diverges |= pareto->alpha <= 1;
            add(*pareto, parts);
        } else if (const auto* cut = std::get_if<TruncatedPareto>(&host.shape)) {
            parts.end = std::max(parts.end, cut->x0);
            add({cut->k, cut->alpha}, parts);
        } else if (const auto* unit = std::get_if<UnitMass>(&host.shape)) {
            parts.greatest_mass = std::max(parts.greatest_mass, unit->k);
            parts.greatest_k = std::max(parts.greatest_k, unit->k);
        } else {
            return invalid("the closed form is for Pareto distributions and unit masses");
        }
    }
    return parts;
}

}  // namespace

Result<double> closed_form_expectation(std::span<const Distribution> hosts) {
    if (hosts.size() > most_closed_form_hosts)
        return invalid("the closed form is for at most " + std::to_string(most_closed_form_hosts) + " hosts");
    const Result<Parts> parts = parts_of(hosts);
    if (!parts) return parts.error();
    const double k = parts->greatest_k;
    if (parts->diverges && parts->end == 0) return invalid("the expectation diverges: alpha is not above 1");
    if (parts->end != 0 && parts->end < k)
        return invalid("the published truncation ends before another host's least time");
    std::vector<Term> terms;
    double all_below = parts->greatest_mass == k ? 1 : 0;  // of the mass at k_l
    for (const Pareto& power : parts->powers) {
        terms.push_back({std::exp(power.alpha * std::log(power.k / k)), power.alpha});
        all_below *= 1 - terms.back().weight;
    }
    const double log_end =
        parts->end == 0 ? std::numeric_limits<double>::infinity() : std::log(parts->end / k);
    const Subsets subsets(terms, log_end);
    double sum = all_below;
    for (std::size_t host = 0; host < terms.size(); ++host)
        sum += subsets.part_of(host);
    return k * sum;
}

double equal_pareto_expectation(std::uint64_t n, const Pareto& host) {
    const double r = 1 / host.alpha;
    return host.k * boost::math::tgamma(1 - r) *
           boost::math::tgamma_delta_ratio(static_cast<double>(n) + 1, -r);
}

}  // namespace trellis::plugins::estimate
