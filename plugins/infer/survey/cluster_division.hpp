// A cluster too large for a tournament of all its hosts, divided into parts that are not: the tree of a
// sample shows the branches at its centre, and every other host finds its branch by a few round trips to
// hosts of each. Pure; owned by a Survey.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/tree/tree_search.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

class ClusterDivision {
  public:
    // More hosts than in a sample.
    ClusterDivision(std::vector<HostNumber> hosts, std::uint64_t seed, double confidence);

    // Appends what is to be measured next to a batch whose probing it sets; nothing (false) when the parts
    // are known. First the tournament of the sample, then the other hosts: two steps.
    bool next(Batch& batch);
    void take(std::span<const PairSample> samples);

    // All hosts, each in one part; one part if the sample shows no branches.
    [[nodiscard]] std::vector<std::vector<HostNumber>> parts() const;
    // Pairs of different parts that join them again: those of the sample, and of some other hosts of each.
    [[nodiscard]] std::vector<PairSample> between_parts() const;

  private:
    void solve();
    void find_branches(const SolvedTree& solved);
    void ask_others(Batch& batch) const;
    [[nodiscard]] double excess_of_few() const;
    [[nodiscard]] std::vector<std::size_t> assignment() const;

    struct Branch {
        std::vector<HostNumber> sample;
        double link_us = 0;  // round trip from the centre to where it begins
    };
    // Of a host outside the sample: the branch nearest to it, and by how much.
    struct Nearest {
        std::size_t branch = 0;
        double nearer_us = 0;
    };
    [[nodiscard]] std::optional<Nearest> nearest_of(const std::vector<std::vector<double>>& rests,
                                                    std::vector<double>& scatters) const;

    std::vector<HostNumber> hosts_;  // shuffled; the sample comes first
    std::size_t sample_ = 0;
    std::vector<bool> in_sample_;  // by host number
    double confidence_;
    int step_ = 0;
    std::vector<PairSample> tournament_, others_;
    std::vector<Branch> branches_;
    std::vector<HostNumber> beside_;   // hosts of the sample that are in no branch
    std::vector<double> from_centre_;  // by host number, of the sample: round trip
    std::vector<std::size_t> part_;    // by host number: its branch, or their number for the rest
};

}  // namespace trellis::plugins::infer
