// Where the way out of a cluster begins, from the round trips of its representatives to hosts of others.
// Pure.
//
// The mean round trip of each representative to those outside, less the part of the other end, shows how far
// it is from the way out: the place from which these fit best.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/survey/solved_cluster.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

// By host of one cluster (its place in SolvedCluster::hosts), us; only differences between them mean
// anything.
using OutwardMeans = std::map<Node, double>;

// What the round trips of each to hosts outside have in common, less what those of each host outside have in
// common. Not every pair is measured, so each of the two is fitted in turn. `samples`: also of other
// clusters.
[[nodiscard]] OutwardMeans outward_means(std::span<const PairSample> samples, const SolvedCluster& cluster);

// Nodes of the cluster's tree.
struct WayOut {
    Node a = 0, b = 0;  // a switch, twice; or the ends of a link in whose middle a switch must be
    double from_a = 0;  // on a link: round trip to that switch, us

    [[nodiscard]] bool on_link() const { return a != b; }
};

// A place on a link is taken if it fits that surely (`confidence`, of one link) better than any switch.
[[nodiscard]] WayOut find_way_out(const SwitchTree& tree, const OutwardMeans& outward, double confidence);

}  // namespace trellis::plugins::infer
