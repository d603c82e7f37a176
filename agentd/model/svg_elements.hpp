// Pieces of an SVG file as text. Pure functions; they know no topology.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

namespace trellis {

// In pixels, from the upper left.
struct SvgPoint {
    double x = 0, y = 0;
};

// With one decimal, in every locale.
[[nodiscard]] std::string svg_number(double value);

// " x=\"1.0\" y=\"2.0\"".
[[nodiscard]] std::string svg_attributes(std::initializer_list<std::pair<const char*, double>> list);

// A circle of that class.
[[nodiscard]] std::string svg_circle(const char* kind, SvgPoint at, double r);

// Any bytes as text of an element or attribute: markup is escaped, and what is no UTF-8 or no character of
// XML is replaced by U+FFFD.
[[nodiscard]] std::string xml_text(const std::string& bytes);

// Of UTF-8.
[[nodiscard]] std::size_t character_count(const std::string& text);

// At most that many characters of UTF-8, of which a longer text shows the first, and an ellipsis.
[[nodiscard]] std::string shortened_text(const std::string& text, std::size_t most);

}  // namespace trellis
