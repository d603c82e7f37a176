// Fits: a distribution from observations, and which case they were (Kaishima et al. 2005, section 3.3). Pure
// functions. Times in milliseconds; every observation is finite and above 0.
#pragma once

#include "trellis/result.hpp"

#include "plugins/estimate/model/distribution.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace trellis::plugins::estimate {

enum class FitCase : std::uint8_t {
    regular,
    all_equal,  // or only one: a unit mass
    truncated   // alpha <= 1, so that there is no expectation: cut where the upper tail is 1 / m
};
[[nodiscard]] std::string_view fit_case_text(FitCase fit_case);

struct Fit {
    Shape shape;
    FitCase fit_case = FitCase::regular;
    double alpha = 0;  // of a Pareto fit, infinite of a unit mass; 0: none
};

// What is asked of observations, at least one; the failure says which one breaks it.
[[nodiscard]] Result<void> check_observations(std::span<const double> observations);

// Maximum likelihood: k the least observation, alpha = m / SUM ln(X_i / k); equations 11, 13 and 14.
[[nodiscard]] Fit fit_pareto(std::span<const double> observations);

// Mean and standard deviation (with m - 1).
[[nodiscard]] Fit fit_normal(std::span<const double> observations);

[[nodiscard]] Fit fit_empirical(std::span<const double> observations);

// The source's index of equation 15: chi^2 over classes of the observations' logarithms of the width 3.49 s
// m^(-1/3) (equation 16), made comparable between numbers of observations and classes; less is better. The
// parameters that were fitted count: two of a Pareto or normal distribution. Infinite if observations lie
// where the distribution has none; 0 if all are equal.
[[nodiscard]] double goodness_of_fit(std::span<const double> observations, const Shape& shape);

}  // namespace trellis::plugins::estimate
