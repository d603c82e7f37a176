// Traffic as text: what each rank sends to each other one, as users' tools write it. Pure; safe on any bytes.
//
// Either a square matrix: a line for each sending rank with a number for each receiving one, separated by
// blanks or commas; '#' begins a comment. Or Matrix Market's exchange format (%%MatrixMarket matrix
// coordinate or array, real or integer, pattern counting 1, general or symmetric), rows sending to columns.
#pragma once

#include "trellis/result.hpp"

#include "plugins/rankmap/traffic.hpp"

#include <cstddef>
#include <string_view>

namespace trellis::plugins::rankmap {

inline constexpr std::size_t most_traffic_bytes = std::size_t{256} << 20;
inline constexpr std::size_t most_traffic_entries = 20'000'000;  // that are not 0

// Refused, with the number of the line: what is no number, a negative or infinite one, a matrix that is not
// square, more than most_ranks ranks or most_traffic_entries entries.
[[nodiscard]] Result<Traffic> parse_traffic(std::string_view text);

}  // namespace trellis::plugins::rankmap
