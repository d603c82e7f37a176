// InferScore: how right one inference was about a noisy network. Pure.
#pragma once

#include "trellis/topology.hpp"

#include "tests/sim/noisy_network.hpp"

#include <cstddef>
#include <cstdint>

namespace trellis::sim {

struct InferScore {
    std::size_t missing = 0;       // hosts that the inferred topology lacks; then nothing is exact
    bool exact = false;            // the true links between switches, and the true hosts on each switch
    bool exact_inside = false;     // the same of the hosts of each cluster alone
    bool apart = false;            // one link parts each cluster from all other hosts
    bool joined_rightly = false;   // apart, and the tree between the clusters is the true one
    bool others_exact = false;     // the same of the hosts without a throttled interface
    bool says_mesh = false;        // that a part of the network is no tree
    std::size_t leaves = 0;        // switches with hosts
    std::size_t exact_leaves = 0;  // those whose hosts are the true ones

    // "Do the paths a-b and c-d share a link?", over random pairs of hosts.
    std::size_t sharing = 0;  // the truth is yes
    std::size_t not_sharing = 0;
    std::size_t false_negatives = 0;
    std::size_t false_positives = 0;
    std::size_t unknown = 0;  // questions that the inferred topology does not answer
};

// The inferred topology has no other hosts than the network; the questions are drawn by the seed.
[[nodiscard]] InferScore score_inference(const NoisyNetwork& network, const Topology& inferred,
                                         std::size_t questions, std::uint64_t seed);

}  // namespace trellis::sim
