#include "plugins/estimate/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace trellis::plugins::estimate {

namespace {

constexpr std::string_view arrow = "->";

bool names_a_pair(const std::string& column) {
    return column.find(arrow) != std::string::npos;
}

}  // namespace

double History::interval() const {
    if (times.size() < 2) return 1;
    std::vector<double> steps(times.size() - 1);
    for (std::size_t row = 1; row < times.size(); ++row)
        steps[row - 1] = times[row] - times[row - 1];
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::ranges::nth_element(steps, middle);
    return *middle > 0 ? *middle : 1;
}

std::string only_root(const History& history) {
    const std::string& first = history.columns.front();
    if (!names_a_pair(first)) return "";
    const std::string begin = first.substr(0, first.find(arrow) + arrow.size());
    const bool only = std::ranges::all_of(
        history.columns, [&](const std::string& column) { return column.starts_with(begin); });
    return only ? begin.substr(0, begin.size() - arrow.size()) : "";
}

Result<History> select_columns(const History& history, const std::string& root,
                               const std::vector<std::string>& hosts) {
    std::map<std::string, std::size_t> of_host;
    std::vector<std::string> in_order;
    const auto add = [&](const std::string& host, std::size_t column, bool better) {
        const auto [known, is_new] = of_host.emplace(host, column);
        if (is_new) in_order.push_back(host);
        if (better) known->second = column;
    };
    for (std::size_t column = 0; column < history.columns.size(); ++column) {
        const std::string& name = history.columns[column];
        const std::string from_root = root + std::string(arrow);
        if (!root.empty() && name.starts_with(from_root))
            add(name.substr(from_root.size()), column, true);
        else if (!names_a_pair(name) && name != root)
            add(name, column, false);
    }
    History chosen;
    chosen.times = history.times;
    for (const std::string& host : hosts.empty() ? in_order : hosts) {
        if (host == root) continue;
        const auto found = of_host.find(host);
        if (found == of_host.end())
            return invalid("no column for host " + host + (root.empty() ? "" : " from " + root));
        chosen.columns.push_back(host);
        chosen.round_trips.push_back(history.round_trips[found->second]);
    }
    if (chosen.columns.empty())
        return invalid(root.empty() ? "all columns are of pairs: say --root" : "no hosts but the root");
    return chosen;
}

FilledHistory fill_lost(History history) {
    FilledHistory filled;
    filled.history.times = std::move(history.times);
    for (std::size_t column = 0; column < history.columns.size(); ++column) {
        std::vector<double>& values = history.round_trips[column];
        const auto first = std::ranges::find_if(values, [](double value) { return !std::isnan(value); });
        if (first == values.end()) {
            filled.silent.push_back(history.columns[column]);
            continue;
        }
        double last = *first;
        for (double& value : values)
            last = value = std::isnan(value) ? last : value;
        filled.history.columns.push_back(std::move(history.columns[column]));
        filled.history.round_trips.push_back(std::move(values));
    }
    return filled;
}

std::vector<double> row_maxima(const History& history) {
    std::vector<double> maxima(history.rows(), -std::numeric_limits<double>::infinity());
    for (const std::vector<double>& column : history.round_trips)
        for (std::size_t row = 0; row < maxima.size(); ++row)
            maxima[row] = std::max(maxima[row], column[row]);
    return maxima;
}

}  // namespace trellis::plugins::estimate
