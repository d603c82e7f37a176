#include "agentd/model/svg_elements.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <nlohmann/json.hpp>

namespace trellis {

std::string svg_number(double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 1).ptr;
    return {digits, end};
}

std::string svg_attributes(std::initializer_list<std::pair<const char*, double>> list) {
    std::string text;
    for (const auto& [name, value] : list)
        text += std::string(" ") + name + "=\"" + svg_number(value) + "\"";
    return text;
}

std::string svg_circle(const char* kind, SvgPoint at, double r) {
    return "<circle class=\"" + std::string(kind) + "\"" +
           svg_attributes({{"cx", at.x}, {"cy", at.y}, {"r", r}}) + "/>";
}

namespace {

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

// U+FFFE and U+FFFF, which XML does not know.
bool is_noncharacter(std::string_view utf8) {
    return utf8.starts_with("\xef\xbf\xbe") || utf8.starts_with("\xef\xbf\xbf");
}

std::string_view xml_escape(char c) {
    switch (c) {
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '&':
            return "&amp;";
        case '"':
            return "&quot;";
        default:
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? replacement_character : "";
    }
}

}  // namespace

std::string xml_text(const std::string& bytes) {
    using nlohmann::json;
    const std::string quoted = json(bytes).dump(-1, ' ', false, json::error_handler_t::replace);
    const auto utf8 = json::parse(quoted).get<std::string>();
    std::string text;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const std::string_view escape = xml_escape(utf8[i]);
        if (!escape.empty()) {
            text += escape;
        } else if (is_noncharacter(std::string_view(utf8).substr(i))) {
            text += replacement_character;
            i += 2;
        } else {
            text += utf8[i];
        }
    }
    return text;
}

std::size_t character_count(const std::string& text) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}

std::string shortened_text(const std::string& text, std::size_t most) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
        if (++characters > most) return text.substr(0, i) + "…";
    }
    return text;
}

}  // namespace trellis
