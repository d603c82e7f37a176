// The nearest name to one that was mistyped, for messages. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

// Levenshtein distance with exchanges of neighbours counted as one step.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate with the smallest distance (the first of several), if it is near enough to be what was meant.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name,
                                                 std::span<const std::string> candidates);

// "; did you mean NAME?" or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace trellis
