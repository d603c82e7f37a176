// InferTrial: one inference of one simulated network by the shell's own command, with its score and what it
// took. A plain value of fixed size, so that a process can hand it to another as bytes.
#pragma once

#include "tests/sim/infer_score.hpp"
#include "tests/sim/topology_lab.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace trellis {

struct InferTrial {
    std::uint64_t seed = 0;
    bool ended = false;  // with a topology; nothing else counts otherwise
    sim::InferScore score;
    double seconds = 0;            // virtual
    std::size_t pairs_inside = 0;  // measured, of hosts of one cluster
    std::size_t pairs_between = 0;
    std::size_t all_inside = 0;  // that there are
    std::size_t all_between = 0;
    double round_trips_a_second = 0;   // of all hosts together
    double busiest_host_a_second = 0;  // of the host with the most, there and back either way
    double processor_seconds = 0;      // of the simulation
    double planner_seconds = 0;        // of the planner alone
    double peak_mib = 0;               // resident, of the process until then
};

// Of real agents over 1 Gbit/s links; each message costs 5 us of processor time at both ends.
inline constexpr sim::ProbeCost probe_cost{1e9, std::chrono::microseconds(5)};
inline constexpr std::size_t score_questions = 10'000;
// The most that this process has held in memory.
[[nodiscard]] double peak_memory_mib();

// The network is that of `family` by this seed, which also sets its noise and whatever the command draws.
// Says on standard error why a trial has no topology.
[[nodiscard]] InferTrial try_inference(const sim::NoisyNetwork& network, const std::string& command,
                                       std::uint64_t seed);

}  // namespace trellis
