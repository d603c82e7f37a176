#include "plugins/estimate/forecast/auto_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t farthest_near = 16;
constexpr std::size_t near_windows = 3;   // 2, 4, 8
constexpr std::size_t usual_windows = 6;  // 32 ... 1024
constexpr double long_half_life = 1024;   // samples
constexpr std::size_t after_shift = near_windows + usual_windows;

// How many samples choose_automatically() looks back, and how many estimates it may spend on that.
constexpr std::size_t farthest_back = 4096;
constexpr std::size_t most_rows = 512, least_rows = 16, most_host_rows = 200'000;

// Rows that are `horizon` before others, the fewer the farther back.
std::vector<std::size_t> rows_to_learn_from(const History& history, std::size_t horizon) {
    std::vector<std::size_t> rows;
    if (history.rows() <= horizon) return rows;
    const std::size_t known = history.rows() - horizon;  // the last row to estimate before
    const std::size_t most = std::clamp(most_host_rows / history.columns.size(), least_rows, most_rows);
    const std::size_t every_one = most / 5;  // ln(farthest_back / every_one) is some 4
    for (std::size_t back = 0; back < std::min(known, farthest_back);
         back += std::max<std::size_t>(1, back / every_one))
        rows.push_back(known - back);
    std::ranges::reverse(rows);
    return rows;
}

// The candidate whose estimate is the median of those of the shortest windows.
std::size_t median_of_near(const std::vector<double>& estimates) {
    std::array<std::size_t, near_windows> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t candidate) { return estimates[candidate]; });
    return order[near_windows / 2];
}

std::vector<double> at_place(const std::vector<EstimateSeries>& all, std::size_t place) {
    std::vector<double> estimates(all.size());
    std::ranges::transform(all, estimates.begin(),
                           [&](const EstimateSeries& series) { return series.expected[place]; });
    return estimates;
}

}  // namespace

const std::vector<Choice>& AutoChoice::candidates() {
    static const std::vector<Choice> all{{Method::pareto, 2},   {Method::pareto, 4},   {Method::pareto, 8},
                                         {Method::pareto, 32},  {Method::pareto, 64},  {Method::pareto, 128},
                                         {Method::pareto, 256}, {Method::pareto, 512}, {Method::pareto, 1024},
                                         {Method::normal, 512}};
    return all;
}

AutoChoice::AutoChoice(std::size_t horizon, const Doubt& doubt)
    : horizon_(horizon), doubt_(doubt), long_run_(after_shift), of_late_(after_shift) {}

void AutoChoice::learn(const std::vector<double>& estimates, double maximum, std::size_t elapsed) {
    const auto passed = static_cast<double>(elapsed);
    const double keep_long = std::exp2(-passed / long_half_life);
    const double keep_late = std::exp2(-passed / (doubt_.memory * static_cast<double>(horizon_)));
    for (std::size_t candidate = 0; candidate < after_shift; ++candidate) {
        const double error = estimates[candidate] - maximum;
        long_run_[candidate].add(error, passed, keep_long);
        of_late_[candidate].add(error, passed, keep_late);
    }
    median_of_late_.add(estimates[median_of_near(estimates)] - maximum, passed, keep_late);
}

double AutoChoice::Errors::root_mean_square() const {
    return std::sqrt(squares / weight);
}

// Of equal ones the longest window.
std::size_t AutoChoice::usual() const {
    std::size_t best = after_shift - 1;
    for (std::size_t candidate = best; candidate-- > near_windows;)
        if (long_run_[candidate].squares < long_run_[best].squares) best = candidate;
    return best;
}

AutoChoice::Pick AutoChoice::pick_regular(const std::vector<double>& estimates) const {
    const std::size_t usual = this->usual();
    const bool near = horizon_ <= farthest_near, learnt = median_of_late_.weight > 0;
    char reason[160];
    if (near && learnt && of_late_[usual].squares <= doubt_.share * median_of_late_.squares) {
        std::snprintf(reason, sizeof reason,
                      "what is usual was nearer of late: RMSE %.4g ms, for %.4g ms of the newest samples",
                      of_late_[usual].root_mean_square(), median_of_late_.root_mean_square());
        return {usual, reason};
    }
    if (near) {
        std::snprintf(reason, sizeof reason,
                      "up to %zu samples ahead: the median of Pareto with m = 2, 4 and 8", farthest_near);
        return {median_of_near(estimates), reason};
    }
    if (learnt)
        std::snprintf(reason, sizeof reason,
                      "more than %zu samples ahead: the least error so far, RMSE %.4g ms", farthest_near,
                      long_run_[usual].root_mean_square());
    else
        std::snprintf(reason, sizeof reason, "more than %zu samples ahead, and no errors known yet",
                      farthest_near);
    return {usual, reason};
}

AutoChoice::Pick AutoChoice::pick(const std::vector<double>& estimates,
                                  const std::vector<char>& truncated) const {
    Pick regular = pick_regular(estimates);
    if (truncated[regular.candidate] == 0) return regular;
    return {after_shift, "some host's alpha is at most 1, as after a level shift"};
}

AutoForecast choose_automatically(const History& filled, std::size_t horizon) {
    AutoChoice rule(horizon);
    const std::vector<std::size_t> rows = rows_to_learn_from(filled, horizon);
    const auto past = estimate_series(filled, AutoChoice::candidates(), rows);
    const std::vector<double> maxima = row_maxima(filled);
    for (std::size_t place = 0; place < rows.size(); ++place)
        rule.learn(at_place(past, place), maxima[rows[place] + horizon - 1],
                   place == 0 ? 1 : rows[place] - rows[place - 1]);
    const auto now = estimate_series(filled, AutoChoice::candidates(), {filled.rows()});
    std::vector<char> truncated(now.size());
    std::ranges::transform(now, truncated.begin(),
                           [](const EstimateSeries& series) { return series.truncated[0]; });
    const AutoChoice::Pick pick = rule.pick(at_place(now, 0), truncated);
    return {AutoChoice::candidates()[pick.candidate], pick.reason};
}

}  // namespace trellis::plugins::estimate
