#include "plugins/estimate/text_fields.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

namespace trellis::plugins::estimate {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    for (;;) {
        const std::size_t end = std::min(line.find(','), line.size());
        fields.push_back(trimmed(line.substr(0, end)));
        if (end == line.size()) return fields;
        line.remove_prefix(end + 1);
    }
}

}  // namespace

std::vector<TextLine> lines_of_fields(std::string_view text) {
    std::vector<TextLine> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view content = trimmed(text.substr(0, std::min(end, text.find('#'))));
        if (!content.empty()) lines.push_back({number, fields_of(content)});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::optional<double> finite_number(std::string_view field) {
    double number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

Failure wrong_line(std::size_t number, const std::string& cause) {
    return invalid("line " + std::to_string(number) + ": " + cause);
}

Failure wrong_field(std::size_t number, std::size_t field, const std::string& cause) {
    return invalid("line " + std::to_string(number) + ", field " + std::to_string(field) + ": " + cause);
}

Result<std::string> read_text_file(const std::string& path, std::size_t most) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::vector<char> part(65'536);
    while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most) return invalid(path + ": more than " + std::to_string(most) + " bytes");
    }
    if (!file.eof()) return invalid(path + ": " + (errno != 0 ? std::strerror(errno) : "cannot be read"));
    return text;
}

}  // namespace trellis::plugins::estimate
