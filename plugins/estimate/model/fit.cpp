#include "plugins/estimate/model/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace trellis::plugins::estimate {
namespace {

struct Moments {
    double mean = 0, deviation = 0;
};

Moments moments_of(std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return {mean, values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

bool all_equal(std::span<const double> values) {
    return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

}  // namespace

std::string_view fit_case_text(FitCase fit_case) {
    if (fit_case == FitCase::all_equal) return "all equal";
    return fit_case == FitCase::truncated ? "alpha <= 1, truncated" : "regular";
}

Result<void> check_observations(std::span<const double> observations) {
    if (observations.empty()) return invalid("no observations");
    for (std::size_t place = 0; place < observations.size(); ++place)
        if (!std::isfinite(observations[place]) || observations[place] <= 0)
            return invalid("observation " + std::to_string(place + 1) + " is not above 0");
    return {};
}

Fit fit_pareto(std::span<const double> observations) {
    const double k = std::ranges::min(observations);
    double sum = 0;
    for (const double observation : observations)
        sum += std::log(observation / k);
    if (sum == 0) return {UnitMass{k}, FitCase::all_equal, std::numeric_limits<double>::infinity()};
    const auto m = static_cast<double>(observations.size());
    const double alpha = m / sum;
    if (alpha > 1) return {Pareto{k, alpha}, FitCase::regular, alpha};
    return {TruncatedPareto{k, alpha, k * std::pow(m, 1 / alpha)}, FitCase::truncated, alpha};
}

Fit fit_normal(std::span<const double> observations) {
    if (all_equal(observations)) return {UnitMass{observations.front()}, FitCase::all_equal};
    const auto [mean, deviation] = moments_of(observations);
    // Differences that are lost in rounding make no distribution.
    if (!(deviation > 0)) return {UnitMass{mean}, FitCase::all_equal};
    return {Normal{mean, deviation}, FitCase::regular};
}

Fit fit_empirical(std::span<const double> observations) {
    if (all_equal(observations)) return {UnitMass{observations.front()}, FitCase::all_equal};
    Empirical shape{{observations.begin(), observations.end()}};
    std::ranges::sort(shape.observations);
    return {std::move(shape), FitCase::regular};
}

double goodness_of_fit(std::span<const double> observations, const Shape& shape) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double most_classes = 1e5;
    std::vector<double> logs(observations.size());
    std::ranges::transform(observations, logs.begin(), [](double value) { return std::log(value); });
    const auto m = static_cast<double>(observations.size());
    const double width = 3.49 * moments_of(logs).deviation / std::cbrt(m);
    if (!(width > 0)) return std::holds_alternative<UnitMass>(shape) ? 0 : infinity;
    const auto [least, greatest] = std::ranges::minmax(logs);
    const double spans = std::floor((greatest - least) / width);
    if (spans + 1 > most_classes) return infinity;
    std::vector<double> counts(static_cast<std::size_t>(spans) + 1);
    for (const double value : logs)
        counts[std::min(static_cast<std::size_t>((value - least) / width), counts.size() - 1)] += 1;
    const Distribution distribution{shape};
    double sum = 0;
    for (std::size_t place = 0; place < counts.size(); ++place) {
        const double from = least + width * static_cast<double>(place);
        const double expected =
            m * (survival(distribution, std::exp(from)) - survival(distribution, std::exp(from + width)));
        const double off = counts[place] - expected;
        if (expected > 0)
            sum += (off * off - off) / expected;
        else if (counts[place] > 0)
            return infinity;
    }
    const double freedom = static_cast<double>(counts.size()) - 1 - 2;
    return (sum - freedom) / (m - 1);
}

}  // namespace trellis::plugins::estimate
