#include "plugins/estimate/evaluation/error_table.hpp"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace trellis::plugins::estimate {
namespace {

using nlohmann::json;

// Left-aligned in 14 columns, then 10 for each field.
std::string text_row(const std::string& name, const std::vector<std::string>& fields) {
    char part[64];
    std::snprintf(part, sizeof part, "%-14.30s", name.c_str());
    std::string row = part;
    for (const std::string& field : fields) {
        std::snprintf(part, sizeof part, " %9.20s", field.c_str());
        row += part;
    }
    return row + "\n";
}

std::string fixed(double value, int digits) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string rmse_text(const ErrorCell& cell) {
    return cell.count == 0 ? "-" : cell.rmse < 1000 ? fixed(cell.rmse, 3) : fixed(cell.rmse, 0);
}

std::string row_name(const Choice& choice) {
    if (choice.method == Method::last) return "last";
    return std::string(method_name(choice.method)) + " " + std::to_string(choice.window);
}

// By how much Pareto's error is below normal's, and how many of 5%, 1% and 0.1% that difference passes.
std::string gain_text(const ErrorCell& pareto, const ErrorCell& normal) {
    if (pareto.count == 0 || normal.rmse == 0) return "-";
    const double p = pareto.p_against_normal.value_or(1);
    return fixed(100 * (1 - pareto.rmse / normal.rmse), 1) + "%" +
           std::string(p < 0.001  ? 3
                       : p < 0.01 ? 2
                       : p < 0.05 ? 1
                                  : 0,
                       '*');
}

std::string condition_table(const ErrorTable& table, Condition condition) {
    const auto& cells = table.cells[static_cast<std::size_t>(condition)];
    std::vector<std::string> heading;
    for (const std::size_t horizon : table.horizons)
        heading.push_back(std::to_string(horizon));
    std::string text = "RMSE in ms, " + std::string(condition_text(condition)) + "\n";
    text += text_row("horizon", heading);
    for (std::size_t choice = 0; choice < table.choices.size(); ++choice) {
        std::vector<std::string> fields;
        std::ranges::transform(cells[choice], std::back_inserter(fields), rmse_text);
        text += text_row(row_name(table.choices[choice]), fields);
    }
    if (condition == Condition::any) {
        std::vector<std::string> fields;
        std::ranges::transform(table.automatic, std::back_inserter(fields), rmse_text);
        text += text_row("auto", fields);
    }
    text += "Pareto better than normal (* 5%, ** 1%, *** 0.1% by Mann-Whitney)\n";
    for (std::size_t window = 0; window < table.windows.size(); ++window) {
        std::vector<std::string> fields;
        for (std::size_t place = 0; place < table.horizons.size(); ++place)
            fields.push_back(gain_text(cells[window][place], cells[window + table.windows.size()][place]));
        text += text_row("m = " + std::to_string(table.windows[window]), fields);
    }
    return text;
}

bool holds_somewhere(const ErrorTable& table, Condition condition) {
    const auto& cells = table.cells[static_cast<std::size_t>(condition)];
    return std::ranges::any_of(cells, [](const std::vector<ErrorCell>& row) {
        return std::ranges::any_of(row, [](const ErrorCell& cell) { return cell.count > 0; });
    });
}

json cell_json(const ErrorCell& cell) {
    json out{{"count", cell.count}, {"rmse", cell.count > 0 ? json(cell.rmse) : json()}};
    if (cell.p_against_normal) out["p_against_normal"] = *cell.p_against_normal;
    return out;
}

json cells_json(const std::vector<ErrorCell>& cells) {
    json out = json::array();
    std::ranges::transform(cells, std::back_inserter(out), cell_json);
    return out;
}

}  // namespace

std::string error_table_text(const ErrorTable& table) {
    std::string text = "estimates from sample " + std::to_string(table.first_row + 1) + " on, of " +
                       std::to_string(table.rows) + "\n";
    text += "\n" + condition_table(table, Condition::any);
    if (holds_somewhere(table, Condition::some_alpha_at_most_one))
        text += "\n" + condition_table(table, Condition::every_alpha_above_one) + "\n" +
                condition_table(table, Condition::some_alpha_at_most_one);
    return text;
}

json error_table_json(const ErrorTable& table) {
    json conditions = json::object();
    for (const Condition condition : all_conditions) {
        json rows = json::array();
        const auto& cells = table.cells[static_cast<std::size_t>(condition)];
        for (std::size_t choice = 0; choice < cells.size(); ++choice)
            rows.push_back({{"method", method_name(table.choices[choice].method)},
                            {"window", table.choices[choice].window},
                            {"errors", cells_json(cells[choice])}});
        conditions[std::string(condition_text(condition))] = std::move(rows);
    }
    return {{"unit", "ms"},
            {"samples", table.rows},
            {"first", table.first_row + 1},
            {"windows", table.windows},
            {"horizons", table.horizons},
            {"tables", std::move(conditions)},
            {"auto", cells_json(table.automatic)}};
}

}  // namespace trellis::plugins::estimate
