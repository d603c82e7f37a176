// How well, how fast and at what cost networks are inferred: the whole of `infer` (the shell's command, the
// roles on the hosts, what travels between them) over families of simulated networks, in virtual time, with
// noise, processor cost and queues, by each method side by side; and the planner alone, over more and larger
// ones. Prints a markdown table for each family.
#include "tests/bench/infer_change_report.hpp"
#include "tests/bench/infer_planner.hpp"
#include "tests/bench/infer_processes.hpp"
#include "tests/bench/infer_report.hpp"
#include "tests/sim/infer_families.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace trellis;

struct Method {
    std::string name;
    std::string heading;                 // of its column
    std::string command;                 // empty: the planner alone
    std::size_t InferPlan::*runs;        // of a family, as its plan says
    std::size_t ChangeFamily::*changes;  // the same of hosts that join and leave; null: not tried
};
const std::vector<Method> methods{
    {"published", "published", "infer --method published", &InferPlan::runs_published, nullptr},
    {"default", "default", "infer", &InferPlan::runs, &ChangeFamily::commanded},
    {"planner", "default, planner alone", "", &InferPlan::runs_planner, &ChangeFamily::planned},
};

struct Options {
    std::vector<std::string> families;  // empty: all
    std::string method;                 // empty: all
    std::size_t runs = 0;               // 0: as many as the family's plan says
    Seeds seeds;
    std::string data;
};

// The seeds of so many runs; of none, if the method is not asked for.
Seeds seeds_for(const Method& method, std::size_t planned, const Options& options) {
    Seeds seeds = options.seeds;
    const bool asked = options.method.empty() ? planned > 0 : options.method == method.name;
    seeds.count = !asked ? 0 : options.runs > 0 ? options.runs : planned;
    return seeds;
}

InferTrial try_method(const sim::InferFamily& family, const Method& method, std::uint64_t seed) {
    const sim::NoisyNetwork network = family.network(seed);
    return method.command.empty() ? try_planner(network, seed) : try_inference(network, method.command, seed);
}

void try_family(const sim::InferFamily& family, const Options& options) {
    const InferPlan& plan = infer_plan(family.name);
    std::vector<TrialColumn<InferTrial>> columns;
    for (const Method& method : methods) {
        const Seeds seeds = seeds_for(method, plan.*method.runs, options);
        const auto attempt = [&](std::uint64_t seed) { return try_method(family, method, seed); };
        if (seeds.count > 0)
            columns.push_back({method.heading, seeds.count, run_trials<InferTrial>(seeds, attempt)});
    }
    std::fputs(infer_table(family, plan, columns).c_str(), stdout);
    std::fflush(stdout);
}

void try_changes(const ChangeFamily& family, const Options& options) {
    std::vector<TrialColumn<ChangeTrial>> columns;
    for (const Method& method : methods) {
        if (method.changes == nullptr) continue;
        const Seeds seeds = seeds_for(method, family.*method.changes, options);
        const auto attempt = [&](std::uint64_t seed) {
            const sim::NoisyNetwork network = family.networks.network(seed);
            return method.command.empty() ? try_change_of_plan(network, seed) : try_change(network, seed);
        };
        if (seeds.count > 0)
            columns.push_back({method.heading, seeds.count, run_trials<ChangeTrial>(seeds, attempt)});
    }
    std::fputs(change_table(family, columns).c_str(), stdout);
    std::fflush(stdout);
}

bool asked(const Options& options, const std::string& family) {
    return options.families.empty() || std::ranges::find(options.families, family) != options.families.end();
}

void try_all(const Options& options) {
    const auto families = sim::infer_families(options.data);
    const auto changes = change_families();
    for (const std::string& name : options.families) {
        const bool known =
            std::ranges::count(families, name, &sim::InferFamily::name) > 0 ||
            std::ranges::any_of(changes, [&](const auto& one) { return one.networks.name == name; });
        if (!known) throw CLI::ValidationError("--family", name + ": unknown, or needs --data");
    }
    for (const sim::InferFamily& family : families)
        if (asked(options, family.name)) try_family(family, options);
    for (const ChangeFamily& family : changes)
        if (asked(options, family.networks.name)) try_changes(family, options);
    if (options.data.empty() && options.families.empty())
        std::puts("\nskipped: plafrim, plafrim2 and grid5000, which need --data FOLDER or TRELLIS_DATA.");
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("How well and how fast networks are inferred, over families of simulated networks.");
    std::vector<std::string> method_names;
    std::ranges::transform(methods, std::back_inserter(method_names), &Method::name);
    app.add_option("--family", options.families, "only this one; may be repeated (default: all)");
    app.add_option("--method", options.method, "only this one")->check(CLI::IsMember(method_names));
    app.add_option("--runs", options.runs, "networks of each family (default: as its plan says)");
    app.add_option("--seed", options.seeds.first, "of the first network; the others follow")
        ->capture_default_str();
    app.add_option("--jobs", options.seeds.jobs, "processes")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--data", options.data, "folder of real networks (ibtopo, simgrid)")
        ->envname("TRELLIS_DATA");
    try {
        app.parse(argc, argv);
        try_all(options);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    }
}
