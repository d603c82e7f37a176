#include "plugins/estimate/evaluation/error_table.hpp"

#include "plugins/estimate/evaluation/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trellis::plugins::estimate {
namespace {

std::vector<Choice> fixed_choices(const std::vector<std::size_t>& windows) {
    std::vector<Choice> choices;
    for (const Method method : {Method::pareto, Method::normal, Method::ewma, Method::empirical})
        for (const std::size_t window : windows)
            choices.push_back({method, window});
    choices.push_back({Method::last, 1});
    return choices;
}

// Scores the fixed choices over the rows that count, and has the automatic one learn from all but the first.
class Scoring {
  public:
    Scoring(const History& filled, ErrorTable& table) : table_(table), maxima_(row_maxima(filled)) {
        const auto rows_from = [&](std::size_t first) {
            std::vector<std::size_t> rows(filled.rows() - first);
            std::iota(rows.begin(), rows.end(), first);
            return rows;
        };
        series_ = estimate_series(filled, table.choices, rows_from(table.first_row));
        candidates_ = estimate_series(filled, AutoChoice::candidates(), rows_from(1));
    }
    void score_fixed();
    void score_automatic();

  private:
    [[nodiscard]] std::vector<double> absolute_errors(std::size_t choice, std::size_t horizon,
                                                      Condition condition) const;
    [[nodiscard]] bool counts(std::size_t choice, std::size_t place, Condition condition) const;
    [[nodiscard]] std::size_t last_row(std::size_t horizon) const { return table_.rows - horizon; }

    ErrorTable& table_;
    std::vector<double> maxima_;
    std::vector<EstimateSeries> series_;      // from first_row on
    std::vector<EstimateSeries> candidates_;  // from row 1 on, of the automatic choice
};

ErrorCell cell_of(const std::vector<double>& absolute) {
    const double squares = std::inner_product(absolute.begin(), absolute.end(), absolute.begin(), 0.0);
    const auto count = static_cast<double>(absolute.size());
    return {absolute.size(), absolute.empty() ? 0 : std::sqrt(squares / count), std::nullopt};
}

// The condition of a window is that of its Pareto fits, which are the first series; of the last value, that
// of the shortest window.
bool Scoring::counts(std::size_t choice, std::size_t place, Condition condition) const {
    if (condition == Condition::any) return true;
    const std::size_t pareto = choice + 1 == series_.size() ? 0 : choice % table_.windows.size();
    return (series_[pareto].truncated[place] != 0) == (condition == Condition::some_alpha_at_most_one);
}

std::vector<double> Scoring::absolute_errors(std::size_t choice, std::size_t horizon,
                                             Condition condition) const {
    std::vector<double> errors;
    for (std::size_t row = table_.first_row; row <= last_row(horizon); ++row)
        if (const std::size_t place = row - table_.first_row; counts(choice, place, condition))
            errors.push_back(std::abs(series_[choice].expected[place] - maxima_[row + horizon - 1]));
    return errors;
}

void Scoring::score_fixed() {
    const std::size_t horizons = table_.horizons.size(), windows = table_.windows.size();
    for (auto& of_condition : table_.cells)
        of_condition.assign(series_.size(), std::vector<ErrorCell>(horizons));
    on_all_cores(series_.size() * horizons, [&](std::size_t number) {
        const std::size_t choice = number / horizons, place = number % horizons;
        for (const Condition condition : all_conditions) {
            const auto errors = absolute_errors(choice, table_.horizons[place], condition);
            ErrorCell& cell = table_.cells[static_cast<std::size_t>(condition)][choice][place];
            cell = cell_of(errors);
            if (table_.choices[choice].method == Method::pareto)
                cell.p_against_normal = mann_whitney(
                    errors, absolute_errors(choice + windows, table_.horizons[place], condition));
        }
    });
}

void Scoring::score_automatic() {
    table_.automatic.resize(table_.horizons.size());
    on_all_cores(table_.horizons.size(), [&](std::size_t place) {
        const std::size_t horizon = table_.horizons[place];
        table_.automatic[place] =
            score_automatic_choice(AutoChoice(horizon), horizon, candidates_, maxima_, table_.first_row);
    });
}

}  // namespace

std::string_view condition_text(Condition condition) {
    if (condition == Condition::any) return "all estimates";
    return condition == Condition::every_alpha_above_one ? "every alpha > 1" : "some alpha <= 1";
}

ErrorCell score_automatic_choice(AutoChoice rule, std::size_t horizon,
                                 const std::vector<EstimateSeries>& candidates,
                                 const std::vector<double>& maxima, std::size_t first_row) {
    std::vector<double> errors, estimates(candidates.size());
    std::vector<char> truncated(candidates.size());
    const auto look_at = [&](std::size_t row) {
        for (std::size_t candidate = 0; candidate < candidates.size(); ++candidate) {
            estimates[candidate] = candidates[candidate].expected[row - 1];
            truncated[candidate] = candidates[candidate].truncated[row - 1];
        }
    };
    for (std::size_t row = 1; row + horizon <= maxima.size(); ++row) {
        if (row > horizon) {
            look_at(row - horizon);
            rule.learn(estimates, maxima[row - 1]);
        }
        if (row < first_row) continue;
        look_at(row);
        const double estimate = estimates[rule.pick(estimates, truncated).candidate];
        errors.push_back(std::abs(estimate - maxima[row + horizon - 1]));
    }
    return cell_of(errors);
}

Result<ErrorTable> evaluate(const History& filled, const EvaluationPlan& plan) {
    ErrorTable table;
    table.windows = plan.windows;
    table.horizons = plan.horizons;
    table.first_row = std::max({plan.skip, std::ranges::max(plan.windows), std::size_t{1}});
    table.rows = filled.rows();
    if (table.first_row + std::ranges::max(plan.horizons) > table.rows)
        return invalid(std::to_string(table.rows) + " samples are too few for a window of " +
                       std::to_string(table.first_row) + " and a horizon of " +
                       std::to_string(std::ranges::max(plan.horizons)) + ": ask for shorter ones");
    table.choices = fixed_choices(plan.windows);
    Scoring scoring(filled, table);
    scoring.score_fixed();
    scoring.score_automatic();
    return table;
}

}  // namespace trellis::plugins::estimate
