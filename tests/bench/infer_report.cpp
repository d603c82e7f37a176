#include "tests/bench/infer_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

namespace trellis {
namespace {

using Trials = std::vector<InferTrial>;

using Goals = std::map<std::string_view, std::string_view>;

// With the goals for answers that every family of ours has.
Goals with_answers(Goals goals) {
    goals.insert({{"shared-link answers wrong", "1%"}, {"false positives", "1%"}, {"false negatives", "1%"}});
    return goals;
}

// A share that is to be 99% takes 1,000 networks, others 200.
const std::map<std::string_view, InferPlan>& plans() {
    const Goals mesh =
        with_answers({{"switches with exactly their hosts", "95%"}, {"said to be no tree", "100%"}});
    const auto levels = [](std::string_view virtual_time, std::string_view planner) {
        Goals goals = with_answers({{"switches with exactly their hosts", "99%"}});
        if (!virtual_time.empty()) goals["virtual time, mean"] = virtual_time;
        if (!planner.empty()) goals["processor time of the planner, mean"] = planner;
        return goals;
    };
    Goals huge = levels("", "60 s");
    huge["memory, most"] = "8192 MiB";
    static const std::map<std::string_view, InferPlan> all{
        {"lan", {100, 1000, 0, with_answers({{"exact tree", "99%"}, {"virtual time, mean", "0.4 s"}})}},
        {"wan",
         {20, 200, 0,
          with_answers({{"exact inside clusters", "95%"},
                        {"clusters joined rightly", "95%"},
                        {"virtual time, mean", "1.5 s"}})}},
        {"wan-rough",
         {20, 200, 0, with_answers({{"exact inside clusters", "90%"}, {"no clusters mixed", "100%"}})}},
        {"systematic", {100, 200, 0, {{"shared-link answers wrong", "2%"}}}},
        {"throttled", {100, 200, 0, with_answers({{"other hosts' tree exact", "95%"}})}},
        {"plafrim", {20, 200, 0, mesh}},
        {"plafrim2", {20, 200, 0, mesh}},
        {"levels-1000", {2, 20, 1000, levels("4 s", "")}},
        {"levels-10000", {0, 1, 100, levels("20 s", "")}},
        {"levels-100000", {0, 0, 1, huge}},
        {"grid5000", {5, 200, 0, with_answers({})}},
        {"source-64",
         {20,
          20,
          0,
          {{"virtual time, mean", "4 to 5 s"},
           {"pairs measured inside clusters", "38%"},
           {"false positives", "higher"},
           {"false negatives", "very low"}},
          "source"}},
        {"source-256",
         {3,
          20,
          0,
          {{"virtual time, mean", "15 s"},
           {"pairs measured inside clusters", "38%"},
           {"pairs measured between clusters", "2%"},
           {"false positives", "< 20%"},
           {"false negatives", "< 20%, higher without the 5 us link"}},
          "source"}},
    };
    return all;
}

double percentile_95(const Trials& trials) {
    std::vector<double> times;
    for (const InferTrial& trial : trials)
        times.push_back(trial.seconds);
    std::ranges::sort(times);
    const auto rank = std::ceil(0.95 * static_cast<double>(times.size()));
    return times[static_cast<std::size_t>(rank) - 1];
}

// A row is left out where it says nothing of the family.
enum class RowOf { all, trees, clusters, throttled, meshes };

struct Row {
    const char* name;
    RowOf of;
    std::function<std::string(const Trials& trials, double runs)> value;  // as in TrialRow
};

Row rate_of_runs(const char* name, RowOf of, bool sim::InferScore::*right) {
    return {name, of, [right](const Trials& trials, double runs) {
                return share(sum(trials, [right](const InferTrial& trial) { return trial.score.*right; }),
                             runs);
            }};
}

using Count = std::size_t sim::InferScore::*;
double total(const Trials& trials, std::initializer_list<Count> counts) {
    return sum(trials, [&](const InferTrial& trial) {
        return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                               [&](std::size_t so_far, Count count) { return so_far + trial.score.*count; });
    });
}

Row rate_of_answers(const char* name, std::initializer_list<Count> part, std::initializer_list<Count> whole) {
    const std::vector<Count> parts(part), wholes(whole);
    return {name, RowOf::all, [parts, wholes](const Trials& trials, double) {
                double some = 0, all = 0;
                for (const Count count : parts)
                    some += total(trials, {count});
                for (const Count count : wholes)
                    all += total(trials, {count});
                return share(some, all);
            }};
}

Row pairs_measured(const char* name, RowOf of, std::size_t InferTrial::*measured,
                   std::size_t InferTrial::*all) {
    return {name, of, [=](const Trials& trials, double) {
                if (sum(trials, all) == 0) return std::string("-");
                return share(sum(trials, measured), sum(trials, all)) + " (" +
                       number("%.0f", mean(trials, measured)) + ")";
            }};
}

template <class Figure>
Row mean_of(const char* name, const char* format, Figure figure) {
    return {name, RowOf::all,
            [=](const Trials& trials, double) { return positive(format, mean(trials, figure)); }};
}

std::vector<Row> rows() {
    using sim::InferScore;
    return {
        rate_of_runs("exact tree", RowOf::trees, &InferScore::exact),
        rate_of_runs("exact inside clusters", RowOf::clusters, &InferScore::exact_inside),
        rate_of_runs("no clusters mixed", RowOf::clusters, &InferScore::apart),
        rate_of_runs("clusters joined rightly", RowOf::clusters, &InferScore::joined_rightly),
        rate_of_runs("other hosts' tree exact", RowOf::throttled, &InferScore::others_exact),
        rate_of_runs("said to be no tree", RowOf::meshes, &InferScore::says_mesh),
        rate_of_answers("switches with exactly their hosts", {&InferScore::exact_leaves},
                        {&InferScore::leaves}),
        rate_of_answers("shared-link answers wrong",
                        {&InferScore::false_positives, &InferScore::false_negatives},
                        {&InferScore::sharing, &InferScore::not_sharing}),
        rate_of_answers("false positives", {&InferScore::false_positives}, {&InferScore::not_sharing}),
        rate_of_answers("false negatives", {&InferScore::false_negatives}, {&InferScore::sharing}),
        rate_of_answers("not answered", {&InferScore::unknown},
                        {&InferScore::sharing, &InferScore::not_sharing}),
        pairs_measured("pairs measured inside clusters", RowOf::all, &InferTrial::pairs_inside,
                       &InferTrial::all_inside),
        pairs_measured("pairs measured between clusters", RowOf::clusters, &InferTrial::pairs_between,
                       &InferTrial::all_between),
        mean_of("virtual time, mean", "%.2f s", &InferTrial::seconds),
        {"virtual time, 95th percentile", RowOf::all,
         [](const Trials& trials, double) { return positive("%.2f s", percentile_95(trials)); }},
        mean_of("round trips a second, of all", "%.0f", &InferTrial::round_trips_a_second),
        mean_of("round trips a second, busiest host", "%.0f", &InferTrial::busiest_host_a_second),
        mean_of("processor time to simulate", "%.2f s", &InferTrial::processor_seconds),
        mean_of("processor time of the planner, mean", "%.2f s", &InferTrial::planner_seconds),
        {"memory, most", RowOf::all,
         [](const Trials& trials, double) {
             return number("%.0f MiB", largest(trials, &InferTrial::peak_mib));
         }},
    };
}

bool concerns(const Row& row, const sim::NoisyNetwork& network) {
    switch (row.of) {
        case RowOf::trees:
            return network.truth.meshes.empty();
        case RowOf::clusters:
            return network.profile.size() > 1;
        case RowOf::throttled:
            return !network.throttled.empty();
        case RowOf::meshes:
            return !network.truth.meshes.empty();
        default:
            return true;
    }
}

}  // namespace

const InferPlan& infer_plan(std::string_view family) {
    return plans().at(family);
}

std::string infer_table(const sim::InferFamily& family, const InferPlan& plan,
                        const std::vector<TrialColumn<InferTrial>>& columns) {
    const sim::NoisyNetwork network = family.network(1);
    std::vector<TrialRow<InferTrial>> shown;
    for (const Row& row : rows()) {
        if (!concerns(row, network)) continue;
        const auto goal = plan.goals.find(row.name);
        shown.push_back({row.name, goal == plan.goals.end() ? "" : std::string(goal->second), row.value});
    }
    return trial_table(family.name + ": " + family.description, std::string(plan.goals_are), shown, columns);
}

}  // namespace trellis
