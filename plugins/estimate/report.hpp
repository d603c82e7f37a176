// An answer as the user sees it. Pure.
#pragma once

#include "plugins/estimate/question.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace trellis::plugins::estimate {

[[nodiscard]] std::string answer_text(const Answer& answer);
[[nodiscard]] nlohmann::json answer_json(const Answer& answer);

// "43.1", with five figures at most.
[[nodiscard]] std::string figures(double value);

}  // namespace trellis::plugins::estimate
