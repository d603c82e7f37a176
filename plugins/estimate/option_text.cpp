#include "plugins/estimate/option_text.hpp"

#include "plugins/estimate/text_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace trellis::plugins::estimate {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

// A number with one of these units; of the first one without any.
template <std::size_t count>
std::optional<double> with_unit(const std::string& text, const std::array<Unit, count>& units) {
    const std::size_t letters = text.find_first_not_of("0123456789.eE+-");
    const std::string name = letters == std::string::npos ? "" : text.substr(letters);
    const auto number = finite_number(std::string_view(text).substr(0, text.size() - name.size()));
    if (!number) return std::nullopt;
    if (name.empty()) return *number * units[0].factor;
    const auto unit = std::ranges::find(units, name, &Unit::name);
    return unit == units.end() ? std::nullopt : std::optional(*number * unit->factor);
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

Result<double> read_bytes(const std::string& text) {
    constexpr std::array<Unit, 8> units{{{"B", 1},
                                         {"k", 1e3},
                                         {"M", 1e6},
                                         {"G", 1e9},
                                         {"Ki", 1024},
                                         {"Mi", 1048576},
                                         {"Gi", 1073741824},
                                         {"kB", 1e3}}};
    const auto bytes = with_unit(text, units);
    if (!bytes || *bytes < 0) return invalid("--bytes " + text + ": no number of bytes");
    return *bytes;
}

Result<double> read_seconds(const std::string& text) {
    constexpr std::array<Unit, 5> units{{{"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
    const auto seconds = with_unit(text, units);
    if (!seconds || !(*seconds > 0))
        return invalid("'" + text + "' is no duration, such as 30s, 10m or 1.5h");
    return *seconds;
}

Result<std::vector<std::size_t>> read_series(const std::string& text) {
    std::vector<std::size_t> series;
    bool goes_on = false;
    for (const std::string& part : parts_of(text)) {
        if (part == "..." && series.size() >= 2 && !goes_on) {
            goes_on = true;
            continue;
        }
        const auto number = finite_number(part);
        const bool ascends = number && *number >= 1 && *number <= 1e9 && *number == std::floor(*number) &&
                             (series.empty() || *number > static_cast<double>(series.back()));
        if (!ascends) return invalid("'" + text + "' is no ascending series, such as 2,4,...,64 or 1,8,90");
        const auto last = static_cast<std::size_t>(*number);
        if (goes_on) {
            const std::size_t a = series[series.size() - 2], b = series.back();
            for (std::size_t next = b % a == 0 && a > 1 ? b * (b / a) : 2 * b - a; next < last;
                 next = b % a == 0 && a > 1 ? next * (b / a) : next + (b - a))
                series.push_back(next);
            goes_on = false;
        }
        series.push_back(last);
        if (series.size() > 1000) return invalid("'" + text + "' has more than 1000 numbers");
    }
    if (goes_on) return invalid("'" + text + "' does not end");
    return series;
}

}  // namespace trellis::plugins::estimate
