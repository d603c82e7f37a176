// Shared links: the part of the latencies that hosts have in common because their paths from the root share a
// link, so that it counts once for all of them. Pure; times in milliseconds.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/estimate/history/history.hpp"
#include "plugins/estimate/model/distribution.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::estimate {

struct SharedLink {
    std::string behind;              // the switch at its far end
    std::vector<std::size_t> hosts;  // columns, two at least
    std::vector<double> excess;      // of each row, 0 or more
};

struct SharedParts {
    History own;  // without what is shared
    std::vector<SharedLink> links;
};

// In each row, hosts behind one link cannot have been delayed there by more than the least excess of any of
// them over its own least round-trip time: that is what the link took, and the rest is the hosts' own. From
// the root outwards. Columns are hosts of the topology, as is the root; the history is filled. Links behind
// which are the same hosts as behind the one before are one with it.
[[nodiscard]] SharedParts split_shared(const History& filled, const Topology& topology,
                                       const std::string& root);

}  // namespace trellis::plugins::estimate
