// The groups of hosts that are measured pair by pair: clusters of hosts near to one another, those that are
// too large for it divided into parts, and these into parts again. From the parts' own trees follow those of
// the clusters. Owned by a Survey.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/survey/cluster_division.hpp"
#include "plugins/infer/survey/inside_pairs.hpp"
#include "plugins/infer/survey/solved_cluster.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

class HostGroups {
  public:
    // `confidence`: of a link (survey.hpp). Host numbers are below `host_count`.
    HostGroups(std::size_t host_count, std::uint64_t seed, double confidence)
        : host_count_(host_count), seed_(seed), confidence_(confidence) {}

    // Once.
    void add_clusters(const std::vector<std::vector<HostNumber>>& clusters);
    // What is to be measured next to divide the large ones; nothing when all are small enough.
    [[nodiscard]] std::optional<Batch> next();
    void take(std::span<const PairSample> samples);

    // Then: all pairs of each group that has no parts.
    [[nodiscard]] Batch all_inside() const;
    // The trees that follow from these. Hosts that are out, or that reached too few others of their group,
    // have no place; a cluster without any host is none.
    [[nodiscard]] std::vector<SolvedCluster> solve(const InsidePairs& inside,
                                                   const std::vector<bool>& out) const;

  private:
    struct Group {
        std::vector<HostNumber> hosts;
        std::optional<ClusterDivision> division;
        std::vector<std::size_t> parts;  // other groups
    };

    std::size_t add_group(const std::vector<HostNumber>& hosts);
    std::optional<Batch> next_of_divisions();
    void next_level();
    [[nodiscard]] std::optional<SolvedCluster> solve(const Group& group, const InsidePairs& inside,
                                                     const std::vector<bool>& out) const;
    [[nodiscard]] std::optional<SolvedCluster> solve_parts(const Group& group, const InsidePairs& inside,
                                                           const std::vector<bool>& out) const;

    std::size_t host_count_;
    std::uint64_t seed_;
    double confidence_;
    std::vector<Group> groups_;  // the clusters first
    std::size_t clusters_ = 0;
    std::vector<std::size_t> level_;  // of groups_: those that are being divided
};

}  // namespace trellis::plugins::infer
