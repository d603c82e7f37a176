// The hosts round a place of a tree that is known, by the branches of the place: those of its own switch, and
// those beyond each of its links. What a new host is measured with, to see whether the place is its own.
// Pure.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/changes/attachment.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

// Hosts of one branch of a place, and how many of them are to be measured.
struct BranchHosts {
    std::vector<TopologyNode> hosts;
    bool own = false;  // of the switch itself; those with the longest links first
    std::size_t wanted = 1;
};

// One host of each branch is wanted. Without a place: round the centre of the tree.
[[nodiscard]] std::vector<BranchHosts> surroundings(const Topology& tree,
                                                    const std::optional<Attachment>& place);

// As many as it takes to be sure of the place, by what is known of them. What is far from the host, while
// something is near, cannot be told any better by more of it.
void want_more(std::vector<BranchHosts>& branches, std::span<const Reading> readings);

}  // namespace trellis::plugins::infer
