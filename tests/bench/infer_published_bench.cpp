// The published inference beside its source's figures: the whole of `infer` (the shell's command, the roles
// on the hosts, the tree that travels between them) on the source's networks, in the simulated world and its
// virtual time, with noise, CPU cost and queues.
//
// Three figures stay out of a factor of 1.5 of the source's.
// - Pairs inside a cluster: 82 to 95%, where the source counted 38%. By its rule the search for a close host
//   drops a candidate only if two round trips differ by a factor of three; those inside a cluster (80 to 100
//   us in its figure 4.2) never do, so every host of the own cluster in the early tree is measured. Its
//   program seems to have dropped more: one trial with 1.15 in place of three (alike_within in
//   close_host_search.hpp) gave 45% (64 hosts) and 34% (256 hosts) inside, 1.0% between clusters (2% of the
//   64 x 64 / 2 pairs that its section 5.3 counts between two), and 15.0 s for 256 hosts.
// - Time of 4 clusters: 24 s, where it took 15 s: for the same reason.
// - Time of 1 cluster: 1 s, where it took 4 to 5 s. Its times hardly grew with the hosts of a cluster (its
//   section 5.3), which suggests that most of them is a cost that does not depend on the measurements, such
//   as the start of its processes; here the agents run before, and the figure holds the inference alone.
//
//   infer_published_bench [RUNS [RUNS OF 256 HOSTS]]
#include "agentd/model/topology_compare.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace trellis;

// What the source tells of a network.
struct Published {
    const char* network;
    const char* time;
    const char* inside;
    const char* between;
};

struct Run {
    double seconds = 0;
    std::size_t pairs_inside = 0;
    std::size_t pairs_between = 0;
    TopologyComparison comparison;
};

class SimulatedRun {
  public:
    SimulatedRun(const sim::SourceNetwork& network, std::uint64_t seed)
        : network_(network),
          seed_(seed),
          noise_(seed),
          shell_(sim::lab_of(network.truth, {1e9, std::chrono::microseconds(5)}), seed) {
        shell_.world().set_noise([this](sim::MachineIndex from, sim::MachineIndex to, Duration passed) {
            return sample(static_cast<TopologyNode>(from), static_cast<TopologyNode>(to), passed);
        });
    }

    Run run() {
        if (shell_.explore_all() != 0) throw std::runtime_error("explore: " + shell_.said());
        const TimePoint begun = shell_.world().time().now();
        if (shell_.run("infer --method published --seed " + std::to_string(seed_)).status != 0) {
            throw std::runtime_error("infer: " + shell_.said());
        }
        const auto taken = std::chrono::duration<double>(shell_.world().time().now() - begun);
        const auto inside = std::ranges::count_if(
            pairs_, [&](const auto& pair) { return same_cluster(pair.first, pair.second); });
        const Topology& inferred = shell_.topology()->topology();
        return {taken.count(), static_cast<std::size_t>(inside),
                pairs_.size() - static_cast<std::size_t>(inside),
                compare_topologies(network_.truth, inferred, {100'000, seed_}).value()};
    }

  private:
    [[nodiscard]] bool same_cluster(TopologyNode a, TopologyNode b) const {
        return network_.cluster[a] == network_.cluster[b];
    }
    // As a clock of whole microseconds shows it, which the source's was (its section 4.2): with it a set ends
    // sooner, because a minimum is less often improved.
    Duration sample(TopologyNode a, TopologyNode b, Duration passed) {
        pairs_.insert(std::minmax(a, b));
        const Duration begun = shell_.world().time().now().time_since_epoch() - passed;
        const auto exact =
            std::chrono::duration_cast<Duration>(noise_.sample(network_.noise(a, b), a, b, passed));
        using std::chrono::microseconds;
        return std::chrono::floor<microseconds>(begun + exact) - std::chrono::floor<microseconds>(begun);
    }

    const sim::SourceNetwork& network_;
    std::uint64_t seed_;
    sim::RoundTripNoise noise_;
    std::set<std::pair<TopologyNode, TopologyNode>> pairs_;
    SimShell shell_;
};

// Means over the runs.
struct Means {
    double seconds = 0, inside = 0, between = 0, missed = 0, surplus = 0;
    double positives = 0, negatives = 0, wrong = 0, worst = 0;
    std::size_t same_groups = 0;

    void add(const Run& run, double share) {
        seconds += share * run.seconds;
        inside += share * static_cast<double>(run.pairs_inside);
        between += share * static_cast<double>(run.pairs_between);
        missed += share * static_cast<double>(run.comparison.missed_splits);
        surplus += share * static_cast<double>(run.comparison.false_splits);
        positives += share * run.comparison.false_positive_rate();
        negatives += share * run.comparison.false_negative_rate();
        wrong += share * run.comparison.wrong_answer_rate();
        worst = std::max(worst, run.comparison.wrong_answer_rate());
        same_groups += run.comparison.same_groups ? 1 : 0;
    }
};

double pairs(std::size_t hosts) {
    return static_cast<double>(hosts * (hosts - 1)) / 2;
}

void row(const char* what, const char* source, const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    std::printf("| %s | %s | %s |\n", what, source, text);
}

void report(const Published& source, const sim::SourceNetwork& network, std::size_t runs) {
    Means mean;
    for (std::size_t seed = 1; seed <= runs; ++seed)
        mean.add(SimulatedRun(network, seed).run(), 1 / static_cast<double>(runs));
    const std::size_t clusters = network.profile.size(), hosts = network.truth.hosts.size();
    const double all_inside = static_cast<double>(clusters) * pairs(hosts / clusters);
    std::printf("\n| %s, mean of %zu runs | source | here |\n|---|---|---|\n", source.network, runs);
    row("virtual time (s)", source.time, "%.1f", mean.seconds);
    row("pairs measured inside a cluster", source.inside, "%.1f%%", 100 * mean.inside / all_inside);
    if (clusters > 1) {
        row("pairs measured between clusters", source.between, "%.2f%%",
            100 * mean.between / (pairs(hosts) - all_inside));
    }
    row("shared-link questions answered wrongly", "-", "%.3f", mean.wrong);
    row("the same, worst run", "-", "%.3f", mean.worst);
    row("false positives", clusters > 1 ? "< 0.2" : "higher", "%.3f", mean.positives);
    row("false negatives", clusters > 1 ? "< 0.2, higher without the 5 us link" : "very low", "%.3f",
        mean.negatives);
    row("links between switches: missed", "-", "%.1f", mean.missed);
    row("links between switches: not there", "-", "%.1f", mean.surplus);
    row("runs whose groups by switch are the true ones", "-", "%.0f", static_cast<double>(mean.same_groups));
    std::fflush(stdout);
}

std::size_t argument(int argc, char** argv, int place, int otherwise) {
    return static_cast<std::size_t>(argc > place ? std::max(1, std::atoi(argv[place])) : otherwise);
}

}  // namespace

int main(int argc, char** argv) {
    report({"1 cluster, 64 hosts", "4 to 5", "38%", ""}, trellis::sim::one_cluster(),
           argument(argc, argv, 1, 5));
    report({"4 clusters, 256 hosts", "15", "38%", "2%"}, trellis::sim::four_clusters(),
           argument(argc, argv, 2, 2));
}
