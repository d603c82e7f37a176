#include "tests/lab/topology_file.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace trellis::lab {
namespace {

struct Quantity {
    double value;
    std::string_view unit;
};

std::optional<Quantity> parse_quantity(std::string_view text) {
    Quantity result{0, {}};
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, result.value, std::chars_format::fixed);
    if (error != std::errc{} || !std::isfinite(result.value) || result.value < 0) return std::nullopt;
    result.unit = std::string_view(rest, static_cast<std::size_t>(end - rest));
    return result;
}

using Unit = std::pair<std::string_view, double>;

template <std::size_t N>
std::optional<double> scaled(std::string_view text, const Unit (&units)[N], double largest) {
    auto quantity = parse_quantity(text);
    if (!quantity) return std::nullopt;
    for (const auto& [name, factor] : units) {
        if (quantity->unit == name && quantity->value * factor <= largest) return quantity->value * factor;
    }
    return std::nullopt;
}

}  // namespace

std::optional<double> parse_rate(std::string_view text) {
    static constexpr Unit units[] = {{"", 1}, {"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}};
    return scaled(text, units, 1e13);
}

std::optional<std::chrono::nanoseconds> parse_delay(std::string_view text) {
    static constexpr Unit units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    auto value = scaled(text, units, 3600e9);
    if (!value) return std::nullopt;
    return std::chrono::nanoseconds(std::llround(*value));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    static constexpr Unit units[] = {{"", 1}, {"k", 1024}, {"m", 1024.0 * 1024}, {"g", 1024.0 * 1024 * 1024}};
    auto value = scaled(text, units, 1e15);
    if (!value) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

}  // namespace trellis::lab
