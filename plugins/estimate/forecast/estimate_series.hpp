// EstimateSeries: what one choice of method and window would have said at many points of a history. Computed
// on all cores; the figures do not depend on how many there are.
#pragma once

#include "plugins/estimate/forecast/forecast.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace trellis::plugins::estimate {

struct EstimateSeries {
    Choice choice;
    std::vector<double> expected;  // E[max], by place among the rows asked for
    std::vector<char> truncated;   // whether some host's alpha was at most 1
};

// The estimates made before each of these rows, none of which is 0, from what came before it; for each
// choice.
[[nodiscard]] std::vector<EstimateSeries> estimate_series(const History& filled,
                                                          const std::vector<Choice>& choices,
                                                          const std::vector<std::size_t>& rows);

// part(0) ... part(count - 1), in any order, on all cores.
void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& part);

}  // namespace trellis::plugins::estimate
