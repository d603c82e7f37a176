// Effort: how many seeds or hosts a test tries. Sanitizers look at the code, which these share, and slow it
// down some tenfold: a build under them tries fewer. Never lowers what the usual build tries.
#pragma once

#include <cstdint>

namespace trellis::sim {

#ifdef TRELLIS_SANITIZED
inline constexpr bool under_sanitizers = true;
#else
inline constexpr bool under_sanitizers = false;
#endif

[[nodiscard]] constexpr std::uint64_t effort(std::uint64_t usual, std::uint64_t sanitized) {
    return under_sanitizers ? sanitized : usual;
}

}  // namespace trellis::sim
