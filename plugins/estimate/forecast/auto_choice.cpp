#include "plugins/estimate/forecast/auto_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t farthest_near = 16;
constexpr std::size_t longest_far = 1024;
constexpr double half_life = longest_far;  // samples
constexpr Choice after_shift{Method::normal, 512};

// How many samples choose_automatically() looks back, and how many estimates it may spend on that.
constexpr std::size_t farthest_back = 4096;
constexpr std::size_t most_rows = 512, least_rows = 16, most_host_rows = 200'000;

std::vector<Choice> pareto_choices(std::size_t least, std::size_t most) {
    std::vector<Choice> choices;
    for (std::size_t window = least; window <= most; window *= 2)
        choices.push_back({Method::pareto, window});
    return choices;
}

// Rows that are `horizon` before others, spread evenly over the end of the history.
std::vector<std::size_t> rows_to_learn_from(const History& history, std::size_t horizon) {
    std::vector<std::size_t> rows;
    if (history.rows() <= horizon) return rows;
    const std::size_t known = history.rows() - horizon;  // the last row to estimate before
    const std::size_t span = std::min(known, farthest_back);
    const std::size_t most = std::clamp(most_host_rows / history.columns.size(), least_rows, most_rows);
    const std::size_t step = std::max<std::size_t>(1, span / most);
    rows.resize((span - 1) / step + 1);
    for (std::size_t place = 0; place < rows.size(); ++place)
        rows[place] = known - (rows.size() - 1 - place) * step;
    return rows;
}

std::vector<double> at_place(const std::vector<EstimateSeries>& all, std::size_t place) {
    std::vector<double> estimates(all.size());
    std::ranges::transform(all, estimates.begin(),
                           [&](const EstimateSeries& series) { return series.expected[place]; });
    return estimates;
}

}  // namespace

AutoChoice::AutoChoice(std::size_t horizon)
    : near_(horizon <= farthest_near),
      candidates_(near_ ? pareto_choices(2, 8) : pareto_choices(32, longest_far)),
      errors_(candidates_.size()) {
    candidates_.push_back(after_shift);
}

void AutoChoice::learn(const std::vector<double>& estimates, double maximum, std::size_t elapsed) {
    const double keep = std::exp2(-static_cast<double>(elapsed) / half_life);
    weight_ = weight_ * keep + 1;
    for (std::size_t candidate = 0; candidate < errors_.size(); ++candidate) {
        const double error = estimates[candidate] - maximum;
        errors_[candidate] = errors_[candidate] * keep + error * error;
    }
}

std::size_t AutoChoice::median_of(const std::vector<double>& estimates) const {
    std::vector<std::size_t> order(errors_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t candidate) { return estimates[candidate]; });
    return order[order.size() / 2];
}

// Of equal ones the longest window.
std::size_t AutoChoice::least_error() const {
    const auto least = std::min_element(errors_.rbegin(), errors_.rend());
    return static_cast<std::size_t>(errors_.rend() - least) - 1;
}

AutoChoice::Pick AutoChoice::pick(const std::vector<double>& estimates,
                                  const std::vector<char>& truncated) const {
    const std::size_t best = near_ ? median_of(estimates) : least_error();
    if (truncated[best] != 0)
        return {errors_.size(), "some host's alpha is at most 1, as after a level shift"};
    char reason[128];
    if (near_)
        std::snprintf(reason, sizeof reason,
                      "up to %zu samples ahead: the median of Pareto with m = 2, 4 and 8", farthest_near);
    else if (weight_ == 0)
        std::snprintf(reason, sizeof reason, "more than %zu samples ahead, and no errors known yet",
                      farthest_near);
    else
        std::snprintf(reason, sizeof reason,
                      "more than %zu samples ahead: the least error so far, RMSE %.4g ms", farthest_near,
                      std::sqrt(errors_[best] / weight_));
    return {best, reason};
}

AutoForecast choose_automatically(const History& filled, std::size_t horizon) {
    AutoChoice rule(horizon);
    const std::vector<std::size_t> rows =
        horizon <= farthest_near ? std::vector<std::size_t>() : rows_to_learn_from(filled, horizon);
    const auto past = estimate_series(filled, rule.candidates(), rows);
    const std::vector<double> maxima = row_maxima(filled);
    for (std::size_t place = 0; place < rows.size(); ++place)
        rule.learn(at_place(past, place), maxima[rows[place] + horizon - 1],
                   place == 0 ? 1 : rows[place] - rows[place - 1]);
    const auto now = estimate_series(filled, rule.candidates(), {filled.rows()});
    std::vector<char> truncated(now.size());
    std::ranges::transform(now, truncated.begin(),
                           [](const EstimateSeries& series) { return series.truncated[0]; });
    const AutoChoice::Pick pick = rule.pick(at_place(now, 0), truncated);
    return {rule.candidates()[pick.candidate], pick.reason};
}

}  // namespace trellis::plugins::estimate
