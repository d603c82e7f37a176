// The markdown table of one family of networks: a row for each figure, a column for each way of trying. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace trellis {

// The trials of one way; fewer than `runs` where a process died.
template <class Trial>
struct TrialColumn {
    std::string heading;
    std::size_t runs = 0;
    std::vector<Trial> trials;
};

template <class Trial>
struct TrialRow {
    std::string name;
    std::string goal;
    // Of the trials that ended, at least one; `runs`: of all.
    std::function<std::string(const std::vector<Trial>& trials, double runs)> value;
};

[[nodiscard]] inline std::string number(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// What a way of trying does not have is 0.
[[nodiscard]] inline std::string positive(const char* format, double value) {
    return value > 0 ? number(format, value) : "-";
}

[[nodiscard]] inline std::string share(double part, double whole) {
    return whole > 0 ? number("%.2f%%", 100 * part / whole) : "-";
}

template <class Trial, class Figure>
[[nodiscard]] double sum(const std::vector<Trial>& trials, Figure figure) {
    return std::accumulate(trials.begin(), trials.end(), 0.0, [&](double so_far, const Trial& trial) {
        return so_far + static_cast<double>(std::invoke(figure, trial));
    });
}

template <class Trial, class Figure>
[[nodiscard]] double mean(const std::vector<Trial>& trials, Figure figure) {
    return sum(trials, figure) / static_cast<double>(trials.size());
}

template <class Trial, class Figure>
[[nodiscard]] double largest(const std::vector<Trial>& trials, Figure figure) {
    return static_cast<double>(std::invoke(figure, *std::ranges::max_element(trials, {}, figure)));
}

// With an empty line before it; without the rows that say nothing of any column. `goals_are`: heads their
// column.
template <class Trial>
[[nodiscard]] std::string trial_table(const std::string& family, const std::string& goals_are,
                                      const std::vector<TrialRow<Trial>>& rows,
                                      const std::vector<TrialColumn<Trial>>& columns) {
    std::string text = "\n| " + family + " | " + goals_are + " |";
    std::string rule = "\n|---|---|";
    std::vector<std::vector<Trial>> ended(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::ranges::copy_if(columns[i].trials, std::back_inserter(ended[i]), &Trial::ended);
        text += " " + columns[i].heading + ", " + std::to_string(columns[i].runs) + " networks";
        const std::size_t failed = columns[i].runs - ended[i].size();
        text += failed > 0 ? ", " + std::to_string(failed) + " without a topology |" : " |";
        rule += "---|";
    }
    text += rule;
    for (const TrialRow<Trial>& row : rows) {
        std::string line = "\n| " + row.name + " | " + row.goal + " |";
        bool said = !row.goal.empty();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto runs = static_cast<double>(columns[i].runs);
            const std::string value = ended[i].empty() ? "-" : row.value(ended[i], runs);
            said = said || value != "-";
            line += " " + value + " |";
        }
        if (said) text += line;
    }
    return text + "\n";
}

}  // namespace trellis
