// The pairs that were measured within groups of hosts that are near to one another, and which of them are to
// be measured again. Owned by a Survey.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/survey/solved_cluster.hpp"
#include "plugins/infer/tree/pair_table.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

// Unless a host takes part in many of them.
inline constexpr Probing probing_inside{
    .sets = 3, .round_trips = 10, .patience = 10, .lanes = 1, .in_turn = true};
// Hosts of which all pairs are measured; larger groups are divided.
inline constexpr std::size_t most_in_tournament = 256;

class InsidePairs {
  public:
    // Host numbers are below `host_count`.
    explicit InsidePairs(std::size_t host_count) : samples_(host_count), reached_(host_count, 0) {}

    void take(std::span<const PairSample> samples);
    // How many pairs of this host were measured.
    [[nodiscard]] std::size_t reached(HostNumber host) const { return reached_[host]; }
    // Of these hosts, by their place among them.
    [[nodiscard]] PairTable table_of(const std::vector<HostNumber>& hosts) const;

    // The pairs that the clusters' trees fit worst: what a moment's disturbance adds to a round trip goes
    // when it is measured again. The turns of all hosts are in one order, so that nobody waits for somebody
    // who waits for it.
    [[nodiscard]] Batch worst_again(std::span<const SolvedCluster> clusters) const;

  private:
    struct SlowPair {
        double excess = 0;
        HostNumber a = 0, b = 0;
    };
    [[nodiscard]] std::vector<SlowPair> slowest_pairs(const SolvedCluster& cluster) const;

    std::vector<std::vector<PairSample>> samples_;  // by host number, of the one that measured
    std::vector<std::size_t> reached_;              // by host number
};

}  // namespace trellis::plugins::infer
