// What an inference found, in words and as a value: the topology with the certainty of its links, and remarks
// on what could not be told. Pure.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/survey/wide_area.hpp"

#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct InferenceResult {
    Topology topology;                 // of the hosts that have a place, in the order of their numbers
    std::vector<std::string> remarks;  // for the user, one a line
};

// `names`: by host number.
[[nodiscard]] InferenceResult describe(const WideTree& wide, std::span<const SolvedCluster> clusters,
                                       const std::vector<std::string>& names);

}  // namespace trellis::plugins::infer
