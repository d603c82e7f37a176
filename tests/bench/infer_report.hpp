// The report of the evaluation of inference: how many networks of each family are tried, which goals are
// beside the figures, and the table of one family. Pure.
#pragma once

#include "tests/bench/infer_table.hpp"
#include "tests/bench/infer_trial.hpp"
#include "tests/sim/infer_families.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct InferPlan {
    std::size_t runs_published = 0;                      // networks for the published method
    std::size_t runs = 0;                                // for the default one
    std::size_t runs_planner = 0;                        // for its planner alone
    std::map<std::string_view, std::string_view> goals;  // by the name of a row
    std::string_view goals_are = "goal";                 // heads their column
};

// Throws std::out_of_range for a family without a plan.
[[nodiscard]] const InferPlan& infer_plan(std::string_view family);

// Markdown, with an empty line before it.
[[nodiscard]] std::string infer_table(const sim::InferFamily& family, const InferPlan& plan,
                                      const std::vector<TrialColumn<InferTrial>>& columns);

}  // namespace trellis
