// How well, how fast and at what cost networks are inferred: the whole of `infer` (the shell's command, the
// roles on the hosts, what travels between them) over families of simulated networks, in virtual time, with
// noise, processor cost and queues, by each method side by side. Prints a markdown table for each family.
#include "tests/bench/infer_report.hpp"
#include "tests/sim/infer_families.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace trellis;

struct Method {
    std::string name;
    std::string command;
};
const std::vector<Method> methods{
    {"published", "infer --method published"},
    {"default", "infer"},
};

struct Options {
    std::vector<std::string> families;  // empty: all
    std::string method;                 // empty: all
    std::size_t runs = 0;               // 0: as many as the family's plan says
    std::uint64_t first_seed = 1;
    std::size_t jobs = 2;
    std::string data;
};

// Each seed once, by processes of their own; in order of the seeds. A process that dies leaves its trials
// out.
class Trials {
  public:
    Trials(const sim::InferFamily& family, const Method& method, const Options& options, std::size_t runs)
        : family_(family), method_(method), options_(options), runs_(runs) {
        if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
    }

    std::vector<InferTrial> run() {
        for (std::size_t job = 0; job < options_.jobs; ++job)
            if (fork() == 0) work(job);
        close(ends_[1]);
        std::vector<InferTrial> trials;
        for (InferTrial trial; read(ends_[0], &trial, sizeof trial) == sizeof trial;)
            trials.push_back(trial);
        close(ends_[0]);
        while (wait(nullptr) > 0)
            continue;
        std::ranges::sort(trials, {}, &InferTrial::seed);
        return trials;
    }

  private:
    // A trial is shorter than what a pipe takes at once, so that those of two processes never mix.
    [[noreturn]] void work(std::size_t job) const {
        for (std::size_t i = job; i < runs_; i += options_.jobs) {
            const std::uint64_t seed = options_.first_seed + i;
            const InferTrial trial = try_inference(family_.network(seed), method_.command, seed);
            if (write(ends_[1], &trial, sizeof trial) != sizeof trial) break;
        }
        _exit(0);
    }

    const sim::InferFamily& family_;
    const Method& method_;
    const Options& options_;
    std::size_t runs_;
    int ends_[2] = {-1, -1};
};

std::size_t runs_of(const Method& method, const InferPlan& plan, const Options& options) {
    if (!options.method.empty() && options.method != method.name) return 0;
    if (options.runs > 0) return options.runs;
    return method.name == "published" ? plan.runs_published : plan.runs;
}

void try_family(const sim::InferFamily& family, const Options& options) {
    const InferPlan& plan = infer_plan(family.name);
    std::vector<InferColumn> columns;
    for (const Method& method : methods) {
        const std::size_t runs = runs_of(method, plan, options);
        if (runs > 0) columns.push_back({method.name, runs, Trials(family, method, options, runs).run()});
    }
    std::fputs(infer_table(family, plan, columns).c_str(), stdout);
    std::fflush(stdout);
}

void check_names(const Options& options, const std::vector<sim::InferFamily>& families) {
    for (const std::string& name : options.families)
        if (std::ranges::find(families, name, &sim::InferFamily::name) == families.end())
            throw CLI::ValidationError("--family", name + ": unknown, or needs --data");
}

void try_all(const Options& options) {
    const auto families = sim::infer_families(options.data);
    check_names(options, families);
    for (const sim::InferFamily& family : families) {
        const bool asked = std::ranges::find(options.families, family.name) != options.families.end();
        if (asked || options.families.empty()) try_family(family, options);
    }
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
    app.add_option("--seed", options.first_seed, "of the first network; the others follow")
        ->capture_default_str();
    app.add_option("--jobs", options.jobs, "processes")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--data", options.data, "folder of real networks (ibtopo, simgrid)")
        ->envname("TRELLIS_DATA");
    try {
        app.parse(argc, argv);
        try_all(options);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    }
}
