#include "plugins/estimate/forecast/forecast.hpp"

#include "plugins/estimate/history/level_shift.hpp"
#include "plugins/estimate/model/maximum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace trellis::plugins::estimate {
namespace {

Fit fit_weighted(std::span<const double> observations, std::size_t window) {
    const double keep = 1 - 2 / (static_cast<double>(window) + 1);
    double weight = 0, mean = 0, squares = 0;
    for (const double value : observations) {
        weight = keep * weight + 1;
        const double step = (value - mean) / weight;
        squares = keep * squares + step * (value - mean) * (weight - 1);
        mean += step;
    }
    const double deviation = std::sqrt(squares / weight);
    if (!(deviation > 1e-12 * mean)) return {UnitMass{mean}, FitCase::all_equal};
    return {Normal{mean, deviation}, FitCase::regular};
}

Fit fit_by(const Choice& choice, std::span<const double> observations) {
    switch (choice.method) {
        case Method::pareto:
            return fit_pareto(observations);
        case Method::normal:
            return fit_normal(observations);
        case Method::last:
            return {UnitMass{observations.back()}, FitCase::all_equal};
        case Method::ewma:
            return fit_weighted(observations, choice.window);
        case Method::empirical:
            break;
    }
    return fit_empirical(observations);
}

// What lies further back weighs less than one in 10,000.
std::size_t reach_of(const Choice& choice) {
    return choice.method == Method::ewma   ? 5 * choice.window
           : choice.method == Method::last ? 1
                                           : choice.window;
}

}  // namespace

std::string_view method_name(Method method) {
    constexpr std::array<std::string_view, method_count> names{"pareto", "normal", "last", "ewma",
                                                               "empirical"};
    return names[static_cast<std::size_t>(method)];
}

std::string choice_text(const Choice& choice) {
    if (choice.method == Method::last) return "last value";
    return std::string(method_name(choice.method)) + ", m = " + std::to_string(choice.window) +
           (choice.since_shift ? ", since the last level shift" : "");
}

std::vector<HostForecast> forecast_hosts(const History& filled, std::size_t end, const Choice& choice) {
    const std::size_t reach = std::min(end, reach_of(choice));
    std::vector<HostForecast> hosts;
    for (const std::vector<double>& column : filled.round_trips) {
        const auto window = std::span(column).subspan(end - reach, reach);
        const std::size_t skipped = choice.since_shift ? after_last_shift(window) : 0;
        hosts.push_back({fit_by(choice, window.subspan(skipped)), reach - skipped, skipped});
    }
    return hosts;
}

double expected_maximum(const std::vector<HostForecast>& hosts) {
    std::vector<Distribution> distributions;
    distributions.reserve(hosts.size());
    for (const HostForecast& host : hosts)
        distributions.push_back({host.fit.shape});
    return Maximum(distributions).expectation().value();
}

}  // namespace trellis::plugins::estimate
