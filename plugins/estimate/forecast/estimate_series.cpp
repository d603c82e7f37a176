#include "plugins/estimate/forecast/estimate_series.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t rows_of_one_part = 64;

bool any_truncated(const std::vector<HostForecast>& hosts) {
    return std::ranges::any_of(
        hosts, [](const HostForecast& host) { return host.fit.fit_case == FitCase::truncated; });
}

}  // namespace

void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& part) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t own = next++; own < count; own = next++)
            part(own);
    };
    std::vector<std::jthread> others;
    const std::size_t threads =
        std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
    for (std::size_t thread = 1; thread < threads; ++thread)
        others.emplace_back(work);
    work();
}

std::vector<EstimateSeries> estimate_series(const History& filled, const std::vector<Choice>& choices,
                                            const std::vector<std::size_t>& rows) {
    std::vector<EstimateSeries> all;
    all.reserve(choices.size());
    for (const Choice& choice : choices)
        all.push_back({choice, std::vector<double>(rows.size()), std::vector<char>(rows.size())});
    const std::size_t parts = (rows.size() + rows_of_one_part - 1) / rows_of_one_part;
    on_all_cores(choices.size() * parts, [&](std::size_t number) {
        EstimateSeries& series = all[number / parts];
        const std::size_t first = number % parts * rows_of_one_part;
        for (std::size_t place = first; place < std::min(first + rows_of_one_part, rows.size()); ++place) {
            const auto hosts = forecast_hosts(filled, rows[place], series.choice);
            series.expected[place] = expected_maximum(hosts);
            series.truncated[place] = any_truncated(hosts) ? 1 : 0;
        }
    });
    return all;
}

}  // namespace trellis::plugins::estimate
