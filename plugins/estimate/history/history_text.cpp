#include "plugins/estimate/history/history.hpp"
#include "plugins/estimate/text_fields.hpp"

#include <limits>
#include <set>

namespace trellis::plugins::estimate {
namespace {

constexpr double least_ms = 1e-6, most_ms = 3.6e6;  // a nanosecond, an hour

Result<std::vector<std::string>> column_names(const TextLine& header) {
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    if (header.fields.size() < 2)
        return wrong_line(header.number, "no hosts: time,HOST,HOST,... is expected");
    for (std::size_t field = 1; field < header.fields.size(); ++field) {
        const std::string_view name = header.fields[field];
        if (name.empty()) return wrong_field(header.number, field + 1, "a host without a name");
        if (!seen.insert(name).second)
            return wrong_field(header.number, field + 1, "two columns are named " + std::string(name));
        names.emplace_back(name);
    }
    return names;
}

Result<double> round_trip_of(const TextLine& line, std::size_t field, double ms_per_unit) {
    const std::string_view text = line.fields[field];
    if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
    const std::optional<double> number = finite_number(text);
    if (!number)
        return wrong_field(line.number, field + 1, "'" + std::string(text) + "' is no round-trip time");
    const double ms = *number * ms_per_unit;
    if (ms < least_ms)
        return wrong_field(line.number, field + 1, "a round-trip time of 0 or less (lost is an empty field)");
    if (ms > most_ms) return wrong_field(line.number, field + 1, "a round-trip time of more than an hour");
    return ms;
}

Result<void> add_row(const TextLine& line, double ms_per_unit, History& history) {
    if (line.fields.size() != history.columns.size() + 1)
        return wrong_line(line.number, std::to_string(line.fields.size()) + " fields instead of " +
                                           std::to_string(history.columns.size() + 1));
    const std::optional<double> time = finite_number(line.fields[0]);
    if (!time) return wrong_field(line.number, 1, "no time in seconds");
    if (!history.times.empty() && *time < history.times.back())
        return wrong_field(line.number, 1, "earlier than the line before");
    history.times.push_back(*time);
    for (std::size_t column = 0; column < history.columns.size(); ++column) {
        const Result<double> value = round_trip_of(line, column + 1, ms_per_unit);
        if (!value) return value.error();
        history.round_trips[column].push_back(*value);
    }
    return {};
}

}  // namespace

Result<History> parse_history(std::string_view text, double ms_per_unit) {
    std::vector<TextLine> lines = lines_of_fields(text);
    if (lines.empty()) return invalid("no line: time,HOST,HOST,... is expected");
    if (lines.size() > 1 && !text.ends_with('\n') && lines.back().fields.size() < lines[0].fields.size())
        lines.pop_back();
    Result<std::vector<std::string>> names = column_names(lines.front());
    if (!names) return names.error();
    History history;
    history.columns = std::move(*names);
    history.round_trips.resize(history.columns.size());
    for (std::size_t row = 1; row < lines.size(); ++row)
        if (const Result<void> added = add_row(lines[row], ms_per_unit, history); !added)
            return added.error();
    if (history.rows() == 0) return wrong_line(lines.front().number, "hosts, but no samples follow");
    return history;
}

Result<History> read_history(const std::string& path, double ms_per_unit) {
    const Result<std::string> text = read_text_file(path, most_history_bytes);
    if (!text) return text.error();
    Result<History> history = parse_history(*text, ms_per_unit);
    if (!history) return invalid(path + ": " + history.error().cause);
    return history;
}

}  // namespace trellis::plugins::estimate
