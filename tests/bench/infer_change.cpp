#include "tests/bench/infer_change.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/changes/kept_part.hpp"
#include "plugins/infer/changes/placement.hpp"
#include "plugins/infer/survey/survey.hpp"
#include "tests/bench/infer_trial.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/plan_driver.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trellis {
namespace {

using plugins::infer::KeptPart;
using plugins::infer::Placement;
using plugins::infer::Survey;
using plugins::infer::SurveyOptions;
using Names = std::vector<std::string>;

bool same_tree(const Topology& one, const Topology& other) {
    const auto compared = compare_topologies(one, other, {0, 1});
    return compared && compared->robinson_foulds() == 0 && compared->same_groups;
}

// What there is before, between and after the two changes, whoever finds it.
struct Found {
    Topology from_scratch;  // of all hosts
    Topology joined;        // of all hosts, by what was known without the last
    Topology rest;          // from scratch, without the first
    Topology left;          // the same, by what was known of all
};

void judge(const sim::NoisyNetwork& network, const Found& found, ChangeTrial& trial) {
    trial.ended = true;
    trial.joined_same = same_tree(found.from_scratch, found.joined);
    trial.left_same = same_tree(found.rest, found.left);
    trial.scratch_right = same_tree(network.truth, found.from_scratch);
    trial.joined_right = same_tree(network.truth, found.joined);
}

class PlannedChange {
  public:
    PlannedChange(const sim::NoisyNetwork& network, std::uint64_t seed)
        : names_(network.truth.hosts), seed_(seed), driver_(network, seed) {}

    Found run(ChangeTrial& trial) {
        Found found;
        found.from_scratch = survey(names_);
        found.joined = join(survey({names_.begin(), names_.end() - 1}), trial);
        const Names rest(names_.begin() + 1, names_.end());
        found.rest = survey(rest);
        found.left = plugins::infer::kept_part(KnownTopology{found.joined, 0}, rest).topology;
        return found;
    }

  private:
    Topology survey(const Names& names) {
        SurveyOptions options;
        options.seed = seed_;
        Survey survey(names, options);
        driver_.run(survey, names);
        measured_ = survey.measured_pairs();
        return survey.topology();
    }
    // As the command does: where the new host has no sure place, all are measured.
    Topology join(const Topology& known, ChangeTrial& trial) {
        const KeptPart part = plugins::infer::kept_part(KnownTopology{known, 0}, names_);
        Placement placement(part.topology, names_, SurveyOptions().confidence);
        driver_.run(placement, names_);
        trial.pairs = placement.measured_pairs();
        trial.placed = placement.unplaced().empty();
        if (trial.placed) return placement.topology();
        Topology anew = survey(names_);
        trial.pairs += measured_;
        return anew;
    }

    Names names_;
    std::uint64_t seed_;
    sim::PlanDriver driver_;
    std::size_t measured_ = 0;  // by the last survey
};

class CommandedChange {
  public:
    CommandedChange(const sim::NoisyNetwork& network, std::uint64_t seed)
        : names_(network.truth.hosts),
          infer_("infer --seed " + std::to_string(seed)),
          round_trips_(network, seed),
          shell_(sim::lab_of(network.truth, probe_cost), seed) {
        shell_.world().set_noise([this](auto from, auto to, Duration passed) {
            pairs_.insert(std::minmax(from, to));
            return round_trips_.sample(static_cast<TopologyNode>(from), static_cast<TopologyNode>(to),
                                       shell_.world().time().now() - passed, passed);
        });
    }

    Found run(ChangeTrial& trial) {
        Found found;
        explore({names_.begin(), names_.end() - 1});
        infer("");
        explore({names_.back()});
        shell_.said();
        pairs_.clear();
        const TimePoint begun = shell_.world().time().now();
        found.joined = infer("");
        trial.seconds = std::chrono::duration<double>(shell_.world().time().now() - begun).count();
        trial.pairs = pairs_.size();
        trial.placed = shell_.said().find("; placed ") != std::string::npos;
        found.from_scratch = infer(" --anew");
        shell_.run("smask - " + names_.front());
        found.left = infer("");
        found.rest = infer(" --anew");
        return found;
    }

  private:
    void explore(const Names& names) {
        std::string line = "explore";
        for (const std::string& name : names)
            line += " " + name;
        shell_.run(line);
    }
    Topology infer(const std::string& options) {
        const int status = shell_.run(infer_ + options).status;
        if (status != 0) throw std::runtime_error(shell_.said());
        return shell_.topology()->topology();
    }

    Names names_;
    std::string infer_;
    sim::NoisyRoundTrips round_trips_;
    std::set<std::pair<sim::MachineIndex, sim::MachineIndex>> pairs_;
    SimShell shell_;
};

template <class Change>
ChangeTrial try_it(const sim::NoisyNetwork& network, std::uint64_t seed) {
    ChangeTrial trial;
    trial.seed = seed;
    try {
        Change change(network, seed);
        judge(network, change.run(trial), trial);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), error.what());
    }
    return trial;
}

}  // namespace

ChangeTrial try_change_of_plan(const sim::NoisyNetwork& network, std::uint64_t seed) {
    return try_it<PlannedChange>(network, seed);
}

ChangeTrial try_change(const sim::NoisyNetwork& network, std::uint64_t seed) {
    return try_it<CommandedChange>(network, seed);
}

}  // namespace trellis
