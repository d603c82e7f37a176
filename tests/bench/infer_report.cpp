#include "tests/bench/infer_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

namespace trellis {
namespace {

using Trials = std::vector<InferTrial>;

const std::map<std::string_view, InferPlan>& plans() {
    static const std::map<std::string_view, InferPlan> all{
        {"lan",
         {100,
          1000,
          {{"exact tree", "99%"}, {"virtual time, mean", "0.4 s"}, {"shared-link answers wrong", "1%"}}}},
        {"wan",
         {20,
          200,
          {{"exact inside clusters", "95%"},
           {"clusters joined rightly", "95%"},
           {"virtual time, mean", "1.5 s"},
           {"shared-link answers wrong", "1%"}}}},
        {"wan-rough",
         {20,
          200,
          {{"exact inside clusters", "90%"},
           {"no clusters mixed", "100%"},
           {"shared-link answers wrong", "1%"}}}},
        {"systematic", {100, 1000, {{"shared-link answers wrong", "2%"}}}},
        {"throttled", {100, 1000, {{"other hosts' tree exact", "95%"}, {"shared-link answers wrong", "1%"}}}},
        {"plafrim",
         {20,
          200,
          {{"switches with exactly their hosts", "95%"},
           {"said to be no tree", "100%"},
           {"shared-link answers wrong", "1%"}}}},
        {"plafrim2",
         {20,
          200,
          {{"switches with exactly their hosts", "95%"},
           {"said to be no tree", "100%"},
           {"shared-link answers wrong", "1%"}}}},
        {"levels-1000",
         {2,
          20,
          {{"switches with exactly their hosts", "99%"},
           {"virtual time, mean", "4 s"},
           {"shared-link answers wrong", "1%"}}}},
        {"levels-10000",
         {0,
          2,
          {{"switches with exactly their hosts", "99%"},
           {"virtual time, mean", "20 s"},
           {"shared-link answers wrong", "1%"}}}},
        {"grid5000", {5, 50, {{"shared-link answers wrong", "1%"}}}},
        {"source-64",
         {20,
          20,
          {{"virtual time, mean", "4 to 5 s"},
           {"pairs measured inside clusters", "38%"},
           {"false positives", "higher"},
           {"false negatives", "very low"}},
          "source"}},
        {"source-256",
         {3,
          20,
          {{"virtual time, mean", "15 s"},
           {"pairs measured inside clusters", "38%"},
           {"pairs measured between clusters", "2%"},
           {"false positives", "< 20%"},
           {"false negatives", "< 20%, higher without the 5 us link"}},
          "source"}},
    };
    return all;
}

std::string number(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string share(double part, double whole) {
    return whole > 0 ? number("%.2f%%", 100 * part / whole) : "-";
}

template <class Figure>
double sum(const Trials& trials, Figure figure) {
    return std::accumulate(trials.begin(), trials.end(), 0.0, [&](double so_far, const InferTrial& trial) {
        return so_far + static_cast<double>(std::invoke(figure, trial));
    });
}

template <class Figure>
double mean(const Trials& trials, Figure figure) {
    return sum(trials, figure) / static_cast<double>(trials.size());
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
    // Of the trials that ended, at least one; `runs`: of all.
    std::function<std::string(const Trials& trials, double runs)> value;
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
                return share(sum(trials, measured), sum(trials, all)) + " (" +
                       number("%.0f", mean(trials, measured)) + ")";
            }};
}

template <class Figure>
Row mean_of(const char* name, const char* format, Figure figure) {
    return {name, RowOf::all,
            [=](const Trials& trials, double) { return number(format, mean(trials, figure)); }};
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
         [](const Trials& trials, double) { return number("%.2f s", percentile_95(trials)); }},
        mean_of("round trips a second, of all", "%.0f", &InferTrial::round_trips_a_second),
        mean_of("round trips a second, busiest host", "%.0f", &InferTrial::busiest_host_a_second),
        mean_of("processor time to simulate", "%.2f s", &InferTrial::processor_seconds),
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
                        const std::vector<InferColumn>& columns) {
    std::string text =
        "\n| " + family.name + ": " + family.description + " | " + std::string(plan.goals_are) + " |";
    std::vector<Trials> ended(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::ranges::copy_if(columns[i].trials, std::back_inserter(ended[i]), &InferTrial::ended);
        text += " " + columns[i].method + ", " + std::to_string(columns[i].runs) + " runs";
        const std::size_t failed = columns[i].runs - ended[i].size();
        text += failed > 0 ? ", " + std::to_string(failed) + " without a topology |" : " |";
    }
    text += "\n|---|---|";
    for (std::size_t i = 0; i < columns.size(); ++i)
        text += "---|";
    const sim::NoisyNetwork network = family.network(1);
    for (const Row& row : rows()) {
        if (!concerns(row, network)) continue;
        const auto goal = plan.goals.find(row.name);
        text += "\n| " + std::string(row.name) + " | " +
                (goal == plan.goals.end() ? "" : std::string(goal->second)) + " |";
        for (std::size_t i = 0; i < columns.size(); ++i)
            text += " " +
                    (ended[i].empty() ? "-" : row.value(ended[i], static_cast<double>(columns[i].runs))) +
                    " |";
    }
    return text + "\n";
}

}  // namespace trellis
