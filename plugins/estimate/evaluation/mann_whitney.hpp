// The test of Mann and Whitney (Wilcoxon's rank sums). Pure.
#pragma once

#include <span>

namespace trellis::plugins::estimate {

// The probability, if both samples came from one distribution, that they differ as much or more in either
// direction: by the normal approximation with a correction for equal values. 1 if a sample is empty or all
// values are equal.
[[nodiscard]] double mann_whitney(std::span<const double> a, std::span<const double> b);

}  // namespace trellis::plugins::estimate
