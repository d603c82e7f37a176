#include "tests/bench/infer_trial.hpp"

#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <sys/resource.h>
#include <vector>

namespace trellis {
namespace {

// Which pairs were measured, and how often each host took part.
class Census {
  public:
    explicit Census(const sim::NoisyNetwork& network)
        : network_(network),
          hosts_(network.truth.hosts.size()),
          measured_(hosts_ * hosts_),
          round_trips_(hosts_) {}

    void count(TopologyNode a, TopologyNode b) {
        measured_[std::min(a, b) * hosts_ + std::max(a, b)] = true;
        ++round_trips_[a];
        ++round_trips_[b];
    }
    void report(InferTrial& trial) const {
        for (TopologyNode a = 0; a < hosts_; ++a)
            for (TopologyNode b = a + 1; b < hosts_; ++b) {
                const bool inside = network_.cluster[a] == network_.cluster[b];
                ++(inside ? trial.all_inside : trial.all_between);
                if (measured_[a * hosts_ + b]) ++(inside ? trial.pairs_inside : trial.pairs_between);
            }
        std::size_t sum = 0;
        for (const std::size_t count : round_trips_)
            sum += count;
        trial.round_trips_a_second = static_cast<double>(sum) / 2 / trial.seconds;
        trial.busiest_host_a_second = static_cast<double>(std::ranges::max(round_trips_)) / trial.seconds;
    }

  private:
    const sim::NoisyNetwork& network_;
    std::size_t hosts_;
    std::vector<bool> measured_;
    std::vector<std::size_t> round_trips_;
};

class SimulatedInference {
  public:
    SimulatedInference(const sim::NoisyNetwork& network, std::uint64_t seed)
        : network_(network),
          census_(network),
          round_trips_(network, seed),
          shell_(sim::lab_of(network.truth, probe_cost), seed) {
        shell_.world().set_noise([this](sim::MachineIndex from, sim::MachineIndex to, Duration passed) {
            return sample(static_cast<TopologyNode>(from), static_cast<TopologyNode>(to), passed);
        });
    }

    bool run(const std::string& command, InferTrial& trial) {
        if (shell_.explore_all() != 0) return false;
        const TimePoint begun = shell_.world().time().now();
        shell_.run(command);
        trial.seconds = std::chrono::duration<double>(shell_.world().time().now() - begun).count();
        const auto inferred = shell_.topology();
        if (!inferred) return false;
        census_.report(trial);
        trial.score = sim::score_inference(network_, inferred->topology(), score_questions, trial.seed);
        return true;
    }
    std::string said() { return shell_.said(); }

  private:
    Duration sample(TopologyNode a, TopologyNode b, Duration passed) {
        census_.count(a, b);
        return round_trips_.sample(a, b, shell_.world().time().now() - passed, passed);
    }

    const sim::NoisyNetwork& network_;
    Census census_;
    sim::NoisyRoundTrips round_trips_;
    SimShell shell_;
};

void say(const InferTrial& trial, const std::string& why) {
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(trial.seed), why.c_str());
}

}  // namespace

double peak_memory_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

InferTrial try_inference(const sim::NoisyNetwork& network, const std::string& command, std::uint64_t seed) {
    const std::clock_t begun = std::clock();
    InferTrial trial;
    trial.seed = seed;
    try {
        SimulatedInference inference(network, seed);
        trial.ended = inference.run(command + " --seed " + std::to_string(seed), trial);
        if (!trial.ended) say(trial, inference.said());
    } catch (const std::exception& error) {
        say(trial, error.what());
    }
    trial.peak_mib = peak_memory_mib();
    trial.processor_seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    return trial;
}

}  // namespace trellis
