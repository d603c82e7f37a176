// How long a message to one host and back takes, as a random variable: the shapes of Kaishima et al. 2005,
// sections 3.1 and 3.3, and what is asked of one of them. Plain values; times in milliseconds. They know no
// host and no observation times.
#pragma once

#include "trellis/result.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trellis::plugins::estimate {

// Density alpha k^alpha x^(-alpha-1) for x >= k; k > 0, alpha > 0. No expectation if alpha <= 1.
struct Pareto {
    double k = 1, alpha = 2;
    friend bool operator==(const Pareto&, const Pareto&) = default;
};
// sigma > 0.
struct Normal {
    double mu = 0, sigma = 1;
    friend bool operator==(const Normal&, const Normal&) = default;
};
// Always k.
struct UnitMass {
    double k = 0;
    friend bool operator==(const UnitMass&, const UnitMass&) = default;
};
// A Pareto distribution under the condition that it is at most x0; x0 > k > 0, alpha > 0.
struct TruncatedPareto {
    double k = 1, alpha = 1, x0 = 2;
    friend bool operator==(const TruncatedPareto&, const TruncatedPareto&) = default;
};
// Each of these with equal probability; ascending, not empty.
struct Empirical {
    std::vector<double> observations;
    friend bool operator==(const Empirical&, const Empirical&) = default;
};

using Shape = std::variant<Pareto, Normal, UnitMass, TruncatedPareto, Empirical>;

// A shape moved to the right by c: a time that is added always, as a computing time or the latency inside a
// cluster.
struct Distribution {
    Shape shape;
    double c = 0;
    friend bool operator==(const Distribution&, const Distribution&) = default;
};

// The name as in a model file: pareto, normal, unit, truncated, empirical.
[[nodiscard]] std::string_view shape_name(const Shape& shape);

// "pareto k=41.7 alpha=16.9", "normal mu=44.3 sigma=2.8 c=1".
[[nodiscard]] std::string distribution_text(const Distribution& distribution);

// Whether the parameters are finite and within their bounds; the failure names the one that is not.
[[nodiscard]] Result<void> validate(const Distribution& distribution);

// The probability of more than x.
[[nodiscard]] double survival(const Distribution& distribution, double x);

// The greatest x that is exceeded with probability `s` or more; 0 < s < 1.
[[nodiscard]] double at_survival(const Distribution& distribution, double s);

// The least x, or of a normal distribution one below which lies a probability of less than 1e-300.
[[nodiscard]] double least_time(const Distribution& distribution);

// The expectation; infinite for a Pareto distribution with alpha <= 1.
[[nodiscard]] double mean_time(const Distribution& distribution);

}  // namespace trellis::plugins::estimate
