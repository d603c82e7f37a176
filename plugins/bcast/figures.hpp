// Sizes and times in the words of a message. Pure.
#pragma once

#include <cstdio>
#include <string>

namespace trellis::plugins::bcast {

// As in 1.5 GB; powers of 1000.
[[nodiscard]] inline std::string bytes_text(double bytes) {
    const char* unit = "B";
    for (const char* next : {"kB", "MB", "GB", "TB"}) {
        if (bytes < 1000) break;
        bytes /= 1000;
        unit = next;
    }
    char text[40];
    std::snprintf(text, sizeof text, unit[0] == 'B' ? "%.0f %s" : "%.3g %s", bytes, unit);
    return text;
}

[[nodiscard]] inline std::string seconds_text(double seconds) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

}  // namespace trellis::plugins::bcast
