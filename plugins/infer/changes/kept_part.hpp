// What of the topologies that are known holds for the hosts that are selected now. A value; pure.
#pragma once

#include "agentd/model/topology_collection.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct KeptPart {
    Topology topology;                // of those that are still selected
    std::vector<std::string> joined;  // selected, not in the topology
    std::size_t left = 0;             // in the topology, not selected
    std::int64_t measured = 0;        // Unix time, seconds
    bool newest = false;              // it is of the first of those that are known

    [[nodiscard]] bool unchanged() const { return joined.empty() && left == 0; }
    // Enough is left, and few enough have joined, that each of these can find its place in the rest.
    [[nodiscard]] bool worth_keeping() const;
};

[[nodiscard]] KeptPart kept_part(const KnownTopology& known, const std::vector<std::string>& selected);

// Of the one that lacks fewest of the selected hosts, and of those the one that was measured last; of
// equals the first. Nothing if none is known.
[[nodiscard]] std::optional<KeptPart> kept_part(std::span<const KnownTopology> known,
                                                const std::vector<std::string>& selected);

// "45 s", "7 min", "5 h", "3 days".
[[nodiscard]] std::string age_text(std::int64_t seconds);

}  // namespace trellis::plugins::infer
