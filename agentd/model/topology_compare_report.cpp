// A comparison as JSON and as text.
#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_text.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

std::string percent(double rate) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f%%", 100 * rate);
    return text;
}

}  // namespace

nlohmann::json comparison_to_json(const TopologyComparison& comparison) {
    return {{"robinson_foulds", comparison.robinson_foulds()},
            {"true_splits", comparison.true_splits},
            {"inferred_splits", comparison.inferred_splits},
            {"false_splits", comparison.false_splits},
            {"missed_splits", comparison.missed_splits},
            {"same_groups", comparison.same_groups},
            {"questions_sharing", comparison.sharing},
            {"questions_not_sharing", comparison.not_sharing},
            {"false_positive_rate", comparison.false_positive_rate()},
            {"false_negative_rate", comparison.false_negative_rate()},
            {"wrong_answer_rate", comparison.wrong_answer_rate()},
            {"median_error_us", comparison.median_error.count()},
            {"largest_error_us", comparison.largest_error.count()},
            {"median_relative_error", comparison.median_relative_error}};
}

std::string comparison_text(const TopologyComparison& comparison) {
    const auto count = [](std::size_t number) { return std::to_string(number); };
    return "Robinson-Foulds distance  " + count(comparison.robinson_foulds()) + " (" +
           count(comparison.false_splits) + " of " + count(comparison.inferred_splits) + " splits false, " +
           count(comparison.missed_splits) + " of " + count(comparison.true_splits) + " missed)\n" +
           "hosts grouped by switch   " + (comparison.same_groups ? "as in truth" : "differently") + "\n" +
           "shared-link questions     " + percent(comparison.wrong_answer_rate()) +
           " wrong (false positives " + percent(comparison.false_positive_rate()) + ", false negatives " +
           percent(comparison.false_negative_rate()) + ")\n" + "one-way delays            median error " +
           delay_text(comparison.median_error) + " (" + percent(comparison.median_relative_error) +
           "), largest " + delay_text(comparison.largest_error) + "\n";
}

}  // namespace trellis
