#include "shell/language/duration_text.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <utility>

namespace trellis {
namespace {

using Seconds = std::chrono::duration<double>;

double unit_seconds(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 7> units{
        {{"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}}};
    for (const auto& [name, seconds] : units)
        if (name == unit) return seconds;
    return 0;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    constexpr double longest = 1000.0 * 24 * 3600;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const double seconds = error == std::errc() ? number * unit_seconds(unit) : 0;
    if (seconds >= 1e-6 && seconds <= longest) return std::chrono::round<Duration>(Seconds(seconds));
    return invalid("expected a duration such as 10s, 500ms or 2m, not '" + std::string(text) + "'");
}

Result<std::optional<Duration>> parse_timeout(std::string_view text) {
    if (text.empty()) return std::optional<Duration>{};
    const Result<Duration> parsed = parse_duration(text);
    if (!parsed) return invalid("--timeout: " + parsed.error().cause);
    return std::optional<Duration>{*parsed};
}

std::string duration_text(Duration duration) {
    const double seconds = std::chrono::duration_cast<Seconds>(duration).count();
    std::array<char, 48> text{};
    if (seconds < 0.0995)
        std::snprintf(text.data(), text.size(), "%.2g ms", seconds * 1e3);
    else
        std::snprintf(text.data(), text.size(), seconds < 99.95 ? "%.1f s" : "%.0f s", seconds);
    return text.data();
}

std::string time_text(std::int64_t unix_time) {
    const auto seconds = static_cast<std::time_t>(unix_time);
    std::tm local{};
    std::array<char, 32> text{};
    localtime_r(&seconds, &local);
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
    return text.data();
}

}  // namespace trellis
