#include "plugins/estimate/forecast/bootstrap.hpp"

#include "plugins/estimate/forecast/estimate_series.hpp"
#include "plugins/estimate/model/maximum.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t least_observed = 4, most_repetitions = 200, least_repetitions = 40,
                      host_repetitions = 100'000;

std::vector<std::size_t> draw_rows(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    const auto block = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
    std::vector<std::size_t> rows;
    while (rows.size() < count) {
        const std::size_t first = engine() % (count - block + 1);
        for (std::size_t row = first; row < first + block && rows.size() < count; ++row)
            rows.push_back(row);
    }
    return rows;
}

// Each host's observations that the choice looks at, those of the same rows of all, drawn again.
History draw_again(const History& filled, const Choice& choice, const std::vector<HostForecast>& hosts,
                   std::uint64_t seed) {
    History drawn;
    drawn.columns = filled.columns;
    const std::size_t reach = std::min(filled.rows(), choice.window);
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        const std::size_t used = std::min(hosts[host].used, reach);
        const std::vector<double>& all = filled.round_trips[host];
        std::vector<double> again;
        for (const std::size_t row : draw_rows(used, seed))
            again.push_back(all[all.size() - used + row]);
        drawn.round_trips.push_back(std::move(again));
    }
    return drawn;
}

Interval middle_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t off = values.size() / 40;
    return {values[off], values[values.size() - 1 - off]};
}

}  // namespace

std::vector<Interval> bootstrap_intervals(
    const History& filled, const Choice& choice, const std::vector<double>& cs,
    const std::vector<double>& quantiles,
    const std::function<Result<double>(const std::vector<Distribution>&)>& expectation) {
    const auto hosts = forecast_hosts(filled, filled.rows(), choice);
    if (std::ranges::min(hosts, {}, &HostForecast::used).used < least_observed) return {};
    std::vector<std::vector<double>> found(quantiles.size() + 1);
    for (std::vector<double>& of_one : found)
        of_one.resize(std::clamp(host_repetitions / hosts.size(), least_repetitions, most_repetitions));
    on_all_cores(found[0].size(), [&](std::size_t repetition) {
        const History drawn = draw_again(filled, choice, hosts, repetition + 1);
        std::vector<Distribution> fitted;
        for (std::size_t host = 0; host < hosts.size(); ++host) {
            History own;
            own.columns = {drawn.columns[host]};
            own.round_trips = {drawn.round_trips[host]};
            const Choice all{choice.method, choice.window, false};
            const std::size_t rows = own.round_trips[0].size();
            fitted.push_back({forecast_hosts(own, rows, all)[0].fit.shape, cs[host]});
        }
        const Result<double> expected = expectation(fitted);
        found[0][repetition] = expected ? *expected : std::nan("");
        const Maximum maximum(fitted);
        for (std::size_t place = 0; place < quantiles.size(); ++place)
            found[place + 1][repetition] = maximum.quantile(quantiles[place]);
    });
    if (std::ranges::any_of(found[0], [](double value) { return std::isnan(value); })) return {};
    std::vector<Interval> intervals;
    std::ranges::transform(found, std::back_inserter(intervals), middle_of);
    return intervals;
}

}  // namespace trellis::plugins::estimate
