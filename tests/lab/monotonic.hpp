// The clock of the laboratory's network.
#pragma once

#include <cstdint>
#include <ctime>

namespace trellis::lab {

inline std::int64_t monotonic_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace trellis::lab
