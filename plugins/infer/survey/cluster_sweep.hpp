// The first look at a set of hosts: which of them are near to one another, and which groups lie far apart. A
// few rough round trips between random pairs, then between one host of each group that they leave. Pure;
// owned by a Survey.
#pragma once

#include "plugins/infer/survey/batch.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

// Far: beyond the widest gap between the measured round trips, if the greater side of the gap is at least
// this many times the lesser one.
inline constexpr double least_gap = 3;

class ClusterSweep {
  public:
    ClusterSweep(std::vector<HostNumber> hosts, std::size_t host_count, std::uint64_t seed);

    // Nothing when the clusters are known.
    [[nodiscard]] std::optional<Batch> next();
    void take(std::span<const PairSample> samples);
    // Every host in one of them; the greatest first.
    [[nodiscard]] std::vector<std::vector<HostNumber>> clusters() const;

  private:
    [[nodiscard]] std::optional<double> gap() const;
    void join_near();
    HostNumber root(HostNumber host);

    std::vector<HostNumber> hosts_;  // shuffled
    std::size_t host_count_;
    std::vector<HostNumber> parent_;  // by host number: a forest of joined hosts, flat after each take()
    std::vector<PairSample> samples_;
    std::size_t asked_ = 0;   // batches so far
    std::size_t groups_ = 0;  // when the last batch was made
};

}  // namespace trellis::plugins::infer
