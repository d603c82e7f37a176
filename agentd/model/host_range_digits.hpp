// Numbers in host names, as reading and writing of host ranges understand them.
#pragma once

#include <cstddef>

namespace trellis {

// Digits of one number: it fits a std::uint64_t with room to count. Longer ones are no numbers.
inline constexpr std::size_t most_digits = 15;

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace trellis
