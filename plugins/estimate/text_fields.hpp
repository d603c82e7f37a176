// The pieces that the plugin's files are made of: lines of fields between commas. Pure.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::estimate {

struct TextLine {
    std::size_t number = 0;  // from 1
    std::vector<std::string_view> fields;
};

// Without what follows a "#", blanks around fields, and empty lines. Views into `text`.
[[nodiscard]] std::vector<TextLine> lines_of_fields(std::string_view text);

// Finite; nothing if it is no number.
[[nodiscard]] std::optional<double> finite_number(std::string_view field);

// "line 3: ...", "line 3, field 2: ..." (fields from 1).
[[nodiscard]] Failure wrong_line(std::size_t number, const std::string& cause);
[[nodiscard]] Failure wrong_field(std::size_t number, std::size_t field, const std::string& cause);

// The whole file, of at most `most` bytes; the failure begins with the path.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace trellis::plugins::estimate
