// What the methods make of the traffic, side by side, as the user sees it. Pure.
#pragma once

#include "plugins/rankmap/placing.hpp"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trellis::plugins::rankmap {

// A heading and a line for each; `chosen` is marked. No newline at the ends.
[[nodiscard]] std::vector<std::string> comparison_lines(const std::vector<Placed>& placed, Method chosen,
                                                        CostMeasure measure, const std::string& pattern);
[[nodiscard]] nlohmann::json comparison_json(const std::vector<Placed>& placed, CostMeasure measure);

}  // namespace trellis::plugins::rankmap
