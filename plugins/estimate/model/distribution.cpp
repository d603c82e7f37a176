#include "plugins/estimate/model/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include <boost/math/special_functions/erf.hpp>

namespace trellis::plugins::estimate {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class... Cases>
struct Match : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

struct Parameter {
    const char* name;
    double value;
};

std::vector<Parameter> parameters_of(const Shape& shape) {
    using List = std::vector<Parameter>;
    return std::visit(Match{[](const Pareto& p) {
                                return List{{"k", p.k}, {"alpha", p.alpha}};
                            },
                            [](const Normal& p) {
                                return List{{"mu", p.mu}, {"sigma", p.sigma}};
                            },
                            [](const UnitMass& p) {
                                return List{{"k", p.k}};
                            },
                            [](const TruncatedPareto& p) {
                                return List{{"k", p.k}, {"alpha", p.alpha}, {"x0", p.x0}};
                            },
                            [](const Empirical& p) {
                                return List{{"m", static_cast<double>(p.observations.size())}};
                            }},
                      shape);
}

// P(x > k r), of which ln r is given.
double tail(double alpha, double log_ratio) {
    return log_ratio > 0 ? std::exp(-alpha * log_ratio) : 1;
}

double survival_of(const Shape& shape, double x) {
    return std::visit(
        Match{[&](const Pareto& p) { return x > p.k ? tail(p.alpha, std::log(x / p.k)) : 1; },
              [&](const Normal& p) { return std::erfc((x - p.mu) / (p.sigma * std::sqrt(2.0))) / 2; },
              [&](const UnitMass& p) { return x < p.k ? 1.0 : 0.0; },
              [&](const TruncatedPareto& p) {
                  if (x <= p.k) return 1.0;
                  if (x >= p.x0) return 0.0;
                  // The power is taken of what is left to the end, lest two nearly equal ones be subtracted.
                  return tail(p.alpha, std::log(x / p.k)) * std::expm1(p.alpha * std::log(x / p.x0)) /
                         std::expm1(p.alpha * std::log(p.k / p.x0));
              },
              [&](const Empirical& p) {
                  const auto above = p.observations.end() - std::ranges::upper_bound(p.observations, x);
                  return static_cast<double>(above) / static_cast<double>(p.observations.size());
              }},
        shape);
}

double quantile_of(const Shape& shape, double s) {
    return std::visit(
        Match{[&](const Pareto& p) { return p.k * std::exp(-std::log(s) / p.alpha); },
              [&](const Normal& p) { return p.mu + p.sigma * std::sqrt(2.0) * boost::math::erfc_inv(2 * s); },
              [&](const UnitMass& p) { return p.k; },
              [&](const TruncatedPareto& p) {
                  const double beyond = std::exp(p.alpha * std::log(p.k / p.x0));
                  return p.k * std::exp(-std::log(s + (1 - s) * beyond) / p.alpha);
              },
              [&](const Empirical& p) {
                  const auto count = static_cast<double>(p.observations.size());
                  const auto below = static_cast<std::size_t>(std::floor((1 - s) * count));
                  return p.observations[std::min(below, p.observations.size() - 1)];
              }},
        shape);
}

double least_of(const Shape& shape) {
    constexpr double deviations = 38;
    return std::visit(
        Match{[](const Normal& p) { return p.mu - deviations * p.sigma; },
              [](const Empirical& p) { return p.observations.front(); }, [](const auto& p) { return p.k; }},
        shape);
}

double mean_of(const TruncatedPareto& p) {
    // INT_k^x0 alpha k^alpha x^-alpha dx / P(x0), also where alpha is 1.
    const double r = std::log(p.x0 / p.k), b = (1 - p.alpha) * r;
    const double power = std::abs(b) < 1e-12 ? r : std::expm1(b) / (1 - p.alpha);
    return p.alpha * p.k * power / -std::expm1(-p.alpha * r);
}

double mean_of_shape(const Shape& shape) {
    return std::visit(
        Match{[](const Pareto& p) { return p.alpha > 1 ? p.alpha * p.k / (p.alpha - 1) : infinity; },
              [](const Normal& p) { return p.mu; }, [](const UnitMass& p) { return p.k; },
              [](const TruncatedPareto& p) { return mean_of(p); },
              [](const Empirical& p) {
                  return std::accumulate(p.observations.begin(), p.observations.end(), 0.0) /
                         static_cast<double>(p.observations.size());
              }},
        shape);
}

}  // namespace

std::string_view shape_name(const Shape& shape) {
    constexpr std::array<std::string_view, 5> names{"pareto", "normal", "unit", "truncated", "empirical"};
    return names[shape.index()];
}

std::string distribution_text(const Distribution& distribution) {
    std::string text(shape_name(distribution.shape));
    const auto append = [&text](const char* name, double value) {
        char part[48];
        std::snprintf(part, sizeof part, " %s=%.6g", name, value);
        text += part;
    };
    for (const Parameter& parameter : parameters_of(distribution.shape))
        append(parameter.name, parameter.value);
    if (distribution.c != 0) append("c", distribution.c);
    return text;
}

Result<void> validate(const Distribution& distribution) {
    for (const Parameter& parameter : parameters_of(distribution.shape)) {
        const bool free = std::string_view(parameter.name) == "mu";
        if (!std::isfinite(parameter.value) || (!free && parameter.value <= 0))
            return invalid(std::string(parameter.name) + (free ? " is not finite" : " is not above 0"));
    }
    if (const auto* cut = std::get_if<TruncatedPareto>(&distribution.shape); cut && cut->x0 <= cut->k)
        return invalid("x0 is not above k");
    if (!std::isfinite(distribution.c) || distribution.c < 0) return invalid("c is negative");
    return {};
}

double survival(const Distribution& distribution, double x) {
    return survival_of(distribution.shape, x - distribution.c);
}

double at_survival(const Distribution& distribution, double s) {
    return distribution.c + quantile_of(distribution.shape, s);
}

double least_time(const Distribution& distribution) {
    return distribution.c + least_of(distribution.shape);
}

double mean_time(const Distribution& distribution) {
    return distribution.c + mean_of_shape(distribution.shape);
}

}  // namespace trellis::plugins::estimate
