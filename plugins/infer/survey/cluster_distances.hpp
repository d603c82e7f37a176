// How far clusters are from one another, and how well that is known: the mean round trip between two
// clusters' ways out, over the pairs of their hosts that were measured. Pure.
//
// Pairs do not err independently: what a host's round trips to one cluster have in common does not average
// out over that cluster's hosts, and what all pairs of two clusters have in common (queues and routes that
// change while they are measured) does not average out at all. So the standard error of a mean has three
// parts: that of the pairs, that of the hosts (variance components, estimated from all pairs of clusters
// together), and a share of the round trip that no repetition takes away.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/tree/pair_table.hpp"

#include <cstddef>
#include <span>

namespace trellis::plugins::infer {

struct ClusterDistances {
    // By cluster, with weights. Clusters without a pair of hosts between them are not measured.
    PairTable mean;
    double scatter_us = 0;   // standard deviation of one pair of hosts from its mean
    double error_us = 1e-3;  // standard error of the mean between two clusters of weight 1
};

// `cluster_of`: by host number. `away`: round trip of each host to its cluster's way out, us, which is taken
// off. Pairs within a cluster are passed over.
[[nodiscard]] ClusterDistances cluster_distances(std::span<const PairSample> samples,
                                                 std::span<const std::size_t> cluster_of,
                                                 std::span<const double> away, std::size_t clusters);

}  // namespace trellis::plugins::infer
