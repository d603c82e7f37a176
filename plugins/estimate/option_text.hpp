// Values of options as users write them. Pure.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::estimate {

// "2,4,...,64" goes on as it began, by the same factor or else by the same step; ascending, each at least 1.
[[nodiscard]] Result<std::vector<std::size_t>> read_series(const std::string& text);

// "10m", "1.5h", "500ms"; without a unit, seconds. More than 0.
[[nodiscard]] Result<double> read_seconds(const std::string& text);

// "64Ki", "10M"; without a unit, bytes. Not negative.
[[nodiscard]] Result<double> read_bytes(const std::string& text);

// Separated by commas; one at least.
[[nodiscard]] std::vector<std::string> parts_of(const std::string& text);

}  // namespace trellis::plugins::estimate
