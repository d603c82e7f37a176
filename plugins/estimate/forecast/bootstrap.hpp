// How sure an estimate is of the observations that it comes from: by drawing as many of them again. Pure,
// from a fixed seed; on all cores.
#pragma once

#include "plugins/estimate/forecast/forecast.hpp"
#include "plugins/estimate/question.hpp"

#include <functional>
#include <vector>

namespace trellis::plugins::estimate {

// 95% intervals of the expectation, which `expectation` computes of fitted distributions, and of these
// quantiles of the maximum. Rows of the choice's window are drawn with replacement, in blocks of the square
// root of their number, since samples that follow one another are alike. `cs`: added to each host. Empty if
// there are too few rows, or if an expectation is refused.
[[nodiscard]] std::vector<Interval> bootstrap_intervals(
    const History& filled, const Choice& choice, const std::vector<double>& cs,
    const std::vector<double>& quantiles,
    const std::function<Result<double>(const std::vector<Distribution>&)>& expectation);

}  // namespace trellis::plugins::estimate
