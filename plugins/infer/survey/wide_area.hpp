// Clusters joined by what is between them: where each cluster's way out begins, and the routers between the
// ways out. From the round trips between some hosts of every cluster. Pure.
//
// With r hosts of each of two clusters there are r^2 pairs between them: what a host has to its own cluster's
// way out is taken off, and the mean of the rest is far steadier than any pair, so that a link of some
// microseconds shows between links of milliseconds.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/survey/solved_cluster.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

struct WideTree {
    SwitchTree tree;                 // of all hosts of all clusters, by host number
    double sigma_us = 0;             // of one pair between two clusters
    std::vector<LinkFinding> links;  // in tree: those inside clusters and those between
    std::vector<LinkFinding> doubtful;
    std::vector<Node> meshes;
};

// `samples`: between representatives of different clusters. `host_count`: host numbers are below it; hosts
// that are in no cluster stay without a link. Clusters between which nothing was measured are joined by
// chance.
[[nodiscard]] WideTree join_clusters(std::span<const SolvedCluster> clusters,
                                     std::span<const PairSample> samples, std::size_t host_count,
                                     double confidence);

// The hosts of these clusters, which have been joined, as one cluster.
[[nodiscard]] SolvedCluster as_one_cluster(std::span<const SolvedCluster> clusters, const WideTree& joined);

}  // namespace trellis::plugins::infer
