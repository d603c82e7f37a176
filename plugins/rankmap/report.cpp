#include "plugins/rankmap/report.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace trellis::plugins::rankmap {
namespace {

const char* unit_of(CostMeasure measure) {
    if (measure == CostMeasure::delay) return "us";
    return measure == CostMeasure::links ? "links" : "ns/B";
}

}  // namespace

std::vector<std::string> comparison_lines(const std::vector<Placed>& placed, Method chosen,
                                          CostMeasure measure, const std::string& pattern) {
    char line[160];
    std::snprintf(line, sizeof line, "  %-12s %12s %17s %14s", "method", "mean cost", "between switches",
                  "between hosts");
    std::vector<std::string> lines{"traffic as in " + pattern + ":", line};
    for (const Placed& one : placed) {
        char cost[40];
        std::snprintf(cost, sizeof cost, "%.4g %s", one.objective.cost, unit_of(measure));
        std::snprintf(line, sizeof line, "%c %-12s %12s %16.1f%% %13.1f%%", one.method == chosen ? '*' : ' ',
                      std::string(name_of(one.method)).c_str(), cost, 100 * one.objective.between_switches,
                      100 * one.objective.between_hosts);
        lines.emplace_back(line);
    }
    return lines;
}

nlohmann::json comparison_json(const std::vector<Placed>& placed, CostMeasure measure) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Placed& one : placed)
        rows.push_back({{"method", name_of(one.method)},
                        {"cost", one.objective.cost},
                        {"unit", unit_of(measure)},
                        {"between_switches", one.objective.between_switches},
                        {"between_hosts", one.objective.between_hosts}});
    return rows;
}

}  // namespace trellis::plugins::rankmap
