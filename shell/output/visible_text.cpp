#include "shell/output/visible_text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace trellis {
namespace {

// Bytes of the UTF-8 sequence at the start of `text`; 0 if there is none that is valid and printable.
std::size_t printable_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte(0);
    std::size_t size = 0;
    std::uint32_t point = 0;
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    if ((first & 0xe0) == 0xc0) size = 2, point = first & 0x1fU;
    if ((first & 0xf0) == 0xe0) size = 3, point = first & 0x0fU;
    if ((first & 0xf8) == 0xf0) size = 4, point = first & 0x07U;
    if (size == 0 || size > text.size()) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        point = point << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0xa0, 0x800, 0x10000};  // 0x80 to 0x9f are controls
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    return point >= least[size] && point <= 0x10ffff && !surrogate ? size : 0;
}

void append_visible(std::string& to, char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || byte == 0x7f) {
        to += {'^', static_cast<char>(byte ^ 0x40)};
    } else {
        std::array<char, 8> text{};
        std::snprintf(text.data(), text.size(), "\\x%02x", static_cast<unsigned>(byte));
        to += text.data();
    }
}

}  // namespace

std::string visible_text(std::string_view text) {
    std::string visible;
    visible.reserve(text.size());
    while (!text.empty()) {
        std::size_t size = text[0] == '\t' || text[0] == '\n' ? 1 : printable_sequence(text);
        if (size == 0) {
            append_visible(visible, text[0]);
            size = 1;
        } else {
            visible += text.substr(0, size);
        }
        text.remove_prefix(size);
    }
    return visible;
}

}  // namespace trellis
