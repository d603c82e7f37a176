// ErrorTable: how far the estimates of each method and window would have been off, at each horizon (Kaishima
// et al. 2005, section 4.3, figures 6 to 8). A value; times in milliseconds, windows and horizons in samples.
#pragma once

#include "plugins/estimate/forecast/auto_choice.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trellis::plugins::estimate {

struct EvaluationPlan {
    std::vector<std::size_t> windows, horizons;
    std::size_t skip = 0;  // estimates before this row are not scored; at least the longest window
};

// Which estimates count: those where, of the window's Pareto fits, every alpha is above 1, or some is not.
enum class Condition : std::uint8_t { any, every_alpha_above_one, some_alpha_at_most_one };
inline constexpr std::array all_conditions{Condition::any, Condition::every_alpha_above_one,
                                           Condition::some_alpha_at_most_one};
[[nodiscard]] std::string_view condition_text(Condition condition);

// Of one method, window, horizon and condition.
struct ErrorCell {
    std::size_t count = 0;  // of estimates
    double rmse = 0;
    std::optional<double> p_against_normal;  // of the absolute errors, of Pareto with the same window
};

struct ErrorTable {
    std::vector<std::size_t> windows, horizons;
    std::size_t first_row = 0, rows = 0;
    std::vector<Choice> choices;
    // [condition][choice][horizon]; the last value does not depend on a condition.
    std::array<std::vector<std::vector<ErrorCell>>, all_conditions.size()> cells;
    std::vector<ErrorCell> automatic;  // [horizon]
};

// Of the automatic choice alone, which learns from all rows. `candidates`: the estimates of each of them,
// from row 1 on; `maxima`: the greatest round-trip time of each row.
[[nodiscard]] ErrorCell score_automatic_choice(AutoChoice rule, std::size_t horizon,
                                               const std::vector<EstimateSeries>& candidates,
                                               const std::vector<double>& maxima, std::size_t first_row);

// Refused if no row is left to score.
[[nodiscard]] Result<ErrorTable> evaluate(const History& filled, const EvaluationPlan& plan);

[[nodiscard]] std::string error_table_text(const ErrorTable& table);
[[nodiscard]] nlohmann::json error_table_json(const ErrorTable& table);

}  // namespace trellis::plugins::estimate
