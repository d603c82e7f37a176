// Level shifts: where the level of a host's round-trip times changed, so that what came before says nothing
// of what comes. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace trellis::plugins::estimate {

// The place where the observations after the last level shift begin; 0 if there was none. Pettitt's test of a
// change (1979) at 0.1%, and hardly any overlap: of one observation before and one after, 19 of 20 times the
// same one is greater; again on what follows. At least 8 observations lie on either side.
[[nodiscard]] std::size_t after_last_shift(std::span<const double> observations);

}  // namespace trellis::plugins::estimate
