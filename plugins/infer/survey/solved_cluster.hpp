// A cluster of hosts that are near to one another, whose own tree is known. A value.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/tree/tree_search.hpp"

#include <cstddef>
#include <vector>

namespace trellis::plugins::infer {

struct SolvedCluster {
    std::vector<HostNumber> hosts;
    SolvedTree solved;  // its host i is hosts[i]
};

// Hosts of a cluster that stand for it, in the order of their worth: of each switch in turn, the noisy ones
// left out.
[[nodiscard]] std::vector<HostNumber> representatives(const SolvedCluster& cluster, std::size_t most);

}  // namespace trellis::plugins::infer
