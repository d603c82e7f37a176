// Middles and deviations that a few wild values do not move. Pure.
#pragma once

#include <vector>

namespace trellis::plugins::infer {

// 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);

// The standard deviation of a normal distribution of which these are the sizes, the greatest tenth not looked
// at; 0 of nothing. (The median of the sizes would be near 0 for clocks that count in steps as large as the
// noise.)
[[nodiscard]] double deviation_of(std::vector<double> sizes);

}  // namespace trellis::plugins::infer
