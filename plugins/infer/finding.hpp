// Finding: what an inference found, by whichever method. A value.
#pragma once

#include "trellis/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct Finding {
    Topology topology;  // may still have hosts that were lost later
    std::uint64_t measured_pairs = 0;
    std::vector<std::string> remarks;  // for the user, one a line
};

}  // namespace trellis::plugins::infer
