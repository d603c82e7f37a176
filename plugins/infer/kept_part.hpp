// What of a topology that is known holds for the hosts that are selected now. A value; pure.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct KeptPart {
    Topology topology;                // of those that are still selected
    std::vector<std::string> joined;  // selected, not in the topology
    std::size_t left = 0;             // in the topology, not selected

    [[nodiscard]] bool unchanged() const { return joined.empty() && left == 0; }
    // Enough is left, and few enough have joined, that each of these can find its place in the rest.
    [[nodiscard]] bool worth_keeping() const;
};

[[nodiscard]] KeptPart kept_part(const Topology& known, const std::vector<std::string>& selected);

}  // namespace trellis::plugins::infer
