// Durations as users write them: 10, 10s, 500ms, 2m, 1.5h; points in time as they read them. Pure.
#pragma once

#include "trellis/result.hpp"
#include "trellis/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// Without a unit: seconds. More than 0, at most 1000 days.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

// What a command's --timeout says; nothing if it was not given. The failure names the option.
[[nodiscard]] Result<std::optional<Duration>> parse_timeout(std::string_view text);

// "1.4 s", "35 ms": two or three figures, for messages.
[[nodiscard]] std::string duration_text(Duration duration);

// "2026-01-31 23:59:59", in the local time zone.
[[nodiscard]] std::string time_text(std::int64_t unix_time);

}  // namespace trellis
