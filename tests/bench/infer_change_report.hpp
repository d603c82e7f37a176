// The report of what it costs to keep a tree true as hosts come and go: families, runs, goals, and the table
// of one family. Pure but for the numbers that it is given.
#pragma once

#include "tests/bench/infer_change.hpp"
#include "tests/bench/infer_table.hpp"
#include "tests/sim/infer_families.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis {

struct ChangeFamily {
    sim::InferFamily networks;  // of 256 hosts
    std::size_t planned = 0;    // by the planner alone
    std::size_t commanded = 0;  // by the whole command
};

[[nodiscard]] std::vector<ChangeFamily> change_families();

// Markdown, with an empty line before it.
[[nodiscard]] std::string change_table(const ChangeFamily& family,
                                       const std::vector<TrialColumn<ChangeTrial>>& columns);

}  // namespace trellis
