// An evaluation as a picture. Pure.
#pragma once

#include "plugins/estimate/evaluation/error_table.hpp"
#include "plugins/estimate/history/history.hpp"

#include <string>

namespace trellis::plugins::estimate {

// Four panels as SVG: the greatest round-trip time of each sample; how the times of the slowest host are
// distributed, and its fits; their survival functions, both axes logarithmic; and the error of each method
// with its best window at each horizon. Of a filled history.
[[nodiscard]] std::string evaluation_svg(const History& filled, const ErrorTable& table);

}  // namespace trellis::plugins::estimate
