// What the hosts of a noisy network answer to the default method of inference, without a simulated world:
// round trips drawn pair by pair, no queues, no time. Owned by a test; must not outlive the network.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/survey/inference_result.hpp"
#include "plugins/infer/survey/survey.hpp"
#include "plugins/infer/tree/pair_table.hpp"
#include "plugins/infer/tree/tree_search.hpp"
#include "tests/sim/noisy_network.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trellis::sim {

class SurveyAnswers {
  public:
    SurveyAnswers(const NoisyNetwork& network, std::uint64_t seed);

    [[nodiscard]] plugins::infer::PairSample measure(TopologyNode a, TopologyNode b,
                                                     const plugins::infer::Probing& probing = {});
    // Of all turns.
    [[nodiscard]] std::vector<plugins::infer::PairSample> measure(const plugins::infer::Batch& batch);

  private:
    TopologyQuery tree_;
    NoisyRoundTrips noise_;
};

// One cluster with that noise.
[[nodiscard]] NoisyNetwork one_noise(Topology truth, const NoiseProfile& profile = no_noise);
// All pairs of a network.
[[nodiscard]] plugins::infer::PairTable all_pairs(const NoisyNetwork& network, std::uint64_t seed);
[[nodiscard]] Topology topology_of(const plugins::infer::SolvedTree& solved,
                                   const std::vector<std::string>& names);
// A whole inference.
[[nodiscard]] plugins::infer::InferenceResult survey(const NoisyNetwork& network,
                                                     const plugins::infer::SurveyOptions& options);

// Empty if the inferred tree is valid and has the links between switches and the hosts on each switch of the
// true one; else what is wrong.
[[nodiscard]] std::string difference(const Topology& truth, const Topology& inferred);
// Of the one-way delays of all pairs; both have the same hosts in the same order.
[[nodiscard]] Delay largest_error(const Topology& truth, const Topology& inferred);

}  // namespace trellis::sim
