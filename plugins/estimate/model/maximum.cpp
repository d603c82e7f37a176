#include "plugins/estimate/model/maximum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace trellis::plugins::estimate {
namespace {

// Beyond the end of the integral the probabilities of the hosts, each below this divided by their number, are
// added instead of multiplied.
constexpr double negligible = 1e-15;
// The ends of truncated distributions, where the survival has corners, divide the integral if they are no
// more than these. Of more, each matters little, and they would only make it divide itself without end.
constexpr std::size_t most_corners = 32;
constexpr unsigned deepest_division = 12, deepest_among_corners = 5;

constexpr double tolerance = 1e-9;  // of the difference between the rules of 10 and 21 points

// 1 - (1 - a)(1 - b).
double either(double a, double b) {
    return a + b * (1 - a);
}

}  // namespace

Maximum::Maximum(std::span<const Distribution> hosts) : hosts_(hosts.begin(), hosts.end()) {
    least_ = least_time(hosts_.front());
    for (const Distribution& host : hosts_) {
        least_ = std::max(least_, least_time(host));
        add(host);
    }
}

void Maximum::add(const Distribution& host) {
    if (const auto* pareto = std::get_if<Pareto>(&host.shape)) {
        powers_.push_back({std::log(pareto->k), pareto->alpha, host.c});
    } else if (const auto* normal = std::get_if<Normal>(&host.shape)) {
        bells_.push_back({normal->mu + host.c, 1 / (normal->sigma * std::sqrt(2.0))});
    } else if (const auto* cut = std::get_if<TruncatedPareto>(&host.shape)) {
        const double log_k = std::log(cut->k), log_x0 = std::log(cut->x0);
        cuts_.push_back({log_k, cut->alpha, host.c, cut->x0 + host.c, log_x0,
                         1 / std::expm1(cut->alpha * (log_k - log_x0))});
    } else if (std::holds_alternative<Empirical>(host.shape)) {
        steps_.push_back(host);
    }
}

double Maximum::survival(double x) const {
    if (x < least_) return 1;
    const double log_x = x > 0 ? std::log(x) : 0;
    const auto log_less = [&](double c) { return c == 0 ? log_x : std::log(x - c); };
    double more = 0;
    for (const Distribution& step : steps_)
        more = either(more, estimate::survival(step, x));
    for (const Bell& bell : bells_) {
        if (more == 1) return 1;
        more = either(more, std::erfc((x - bell.mu) * bell.scale) / 2);
    }
    for (const Power& power : powers_) {
        if (more == 1) return 1;
        more = either(more, std::exp(std::min(0.0, power.alpha * (power.log_k - log_less(power.c)))));
    }
    for (const Cut& cut : cuts_) {
        if (more == 1) return 1;
        if (x >= cut.x0) continue;
        const double log_own = log_less(cut.c);
        const double beyond = std::exp(std::min(0.0, cut.alpha * (cut.log_k - log_own)));
        more = either(more, beyond * std::expm1(cut.alpha * (log_own - cut.log_x0)) * cut.norm);
    }
    return std::min(more, 1.0);
}

// Beyond it each host's probability is negligible.
double Maximum::far_end() const {
    const double level = negligible / static_cast<double>(hosts_.size());
    double end = least_;
    for (const Distribution& host : hosts_)
        end = std::max(end, at_survival(host, level));
    return end;
}

// A time within [from, to] up to which the survival is at least `level`; the last such is at most a hundredth
// of its own distance from `from` beyond it.
double Maximum::last_above(double level, double from, double to) const {
    int near = 100, far = 0;  // halvings of the distance
    if (survival(to) >= level) return to;
    while (near - far > 1) {
        const int middle = (near + far) / 2;
        (survival(from + std::ldexp(to - from, -middle)) >= level ? near : far) = middle;
    }
    double low = from + std::ldexp(to - from, -near), high = from + std::ldexp(to - from, -far);
    for (int step = 0; step < 6; ++step) {
        const double middle = (low + high) / 2;
        (survival(middle) >= level ? low : high) = middle;
    }
    return low;
}

std::vector<double> Maximum::corners(double from, double to) const {
    std::vector<double> at{from};
    if (cuts_.size() <= most_corners)
        for (const Cut& cut : cuts_)
            at.push_back(cut.x0);
    for (const Distribution& step : steps_) {
        if (const auto* empirical = std::get_if<Empirical>(&step.shape))
            for (const double observation : empirical->observations)
                at.push_back(observation + step.c);
    }
    at.push_back(to);
    std::erase_if(at, [&](double x) { return x < from || x > to; });
    std::ranges::sort(at);
    at.erase(std::unique(at.begin(), at.end()), at.end());
    return at;
}

// Those hosts that may still be above x.
Maximum Maximum::above(double x) const {
    const double level = negligible / static_cast<double>(hosts_.size());
    std::vector<Distribution> left;
    for (const Distribution& host : hosts_)
        if (estimate::survival(host, x) > level) left.push_back(host);
    return left.empty() ? *this : Maximum(left);
}

// Of the survival.
double Maximum::integral(double from, double to) const {
    const double sure = last_above(1, from, to);
    return sure - from + (to > sure ? above(sure).smooth_integral(sure, to) : 0);
}

// The variable is stretched so that equal parts of it are equal factors far from the beginning, where tails
// are powers.
double Maximum::smooth_integral(double from, double to) const {
    const double unit = last_above(survival(from) / 2, from, to) - from;
    const auto stretched = [&](double t) {
        return survival(from + unit * std::expm1(t)) * unit * std::exp(t);
    };
    const std::vector<double> at = corners(from, to);
    double sum = 0;
    for (std::size_t part = 1; part < at.size(); ++part)
        sum += boost::math::quadrature::gauss_kronrod<double, 21>::integrate(
            stretched, std::log1p((at[part - 1] - from) / unit), std::log1p((at[part] - from) / unit),
            cuts_.size() <= most_corners ? deepest_division : deepest_among_corners, tolerance);
    return sum;
}

// Of empirical hosts alone, from step to step.
double Maximum::step_expectation() const {
    std::vector<std::pair<double, std::size_t>> all;
    double log_below = 0;  // the logarithm of the product, if no host's probability is 0
    for (std::size_t host = 0; host < steps_.size(); ++host) {
        const auto& observations = std::get<Empirical>(steps_[host].shape).observations;
        log_below -= std::log(static_cast<double>(observations.size()));
        for (const double observation : observations)
            all.emplace_back(observation + steps_[host].c, host);
    }
    std::ranges::sort(all);
    std::vector<double> counts(steps_.size());
    double sum = least_, x = least_;
    for (const auto& [value, host] : all) {
        if (value > x) {
            sum -= std::expm1(log_below) * (value - x);
            x = value;
        }
        if (counts[host] > 0) log_below += std::log1p(1 / counts[host]);
        counts[host] += 1;
    }
    return sum;
}

Result<double> Maximum::expectation() const {
    if (powers_.empty() && bells_.empty() && cuts_.empty()) return step_expectation();
    double beyond = 0;
    const double end = far_end();
    for (const Power& power : powers_) {
        if (power.alpha <= 1) return invalid("the expectation diverges: alpha is not above 1");
        const double own = end - power.c;
        beyond += own * std::exp(power.alpha * (power.log_k - std::log(own))) / (power.alpha - 1);
    }
    return least_ + integral(least_, end) + beyond;
}

double Maximum::expectation_up_to(double end) const {
    if (end < least_) return 0;
    return least_ + integral(least_, end) - survival(end) * end;
}

double Maximum::quantile(double q) const {
    const double s = 1 - q;
    double low = least_, high = least_;
    for (const Distribution& host : hosts_) {
        low = std::max(low, at_survival(host, s));
        high = std::max(high, at_survival(host, s / static_cast<double>(hosts_.size())));
    }
    while (high - low > 1e-14 * std::max(std::abs(low), std::abs(high))) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        (survival(middle) > s ? low : high) = middle;
    }
    return high;
}

Result<double> published_expectation(std::span<const Distribution> hosts) {
    std::vector<Distribution> untruncated(hosts.begin(), hosts.end());
    double end = 0;
    for (Distribution& host : untruncated) {
        const auto* cut = std::get_if<TruncatedPareto>(&host.shape);
        if (cut == nullptr) continue;
        end = std::max(end, cut->x0 + host.c);
        host.shape = Pareto{cut->k, cut->alpha};
    }
    const Maximum maximum(untruncated);
    if (end == 0) return maximum.expectation();
    const double part = maximum.expectation_up_to(end);
    if (part <= 0) return invalid("the published truncation ends before another host's least time");
    return part;
}

}  // namespace trellis::plugins::estimate
