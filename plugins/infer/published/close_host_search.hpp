// find_close_host: Shirai 2007, section 4.3, figure 4.7, as a step machine without I/O. Measures random hosts
// J of an early tree. With x the round-trip time to J, every host K whose round-trip time y to J on the tree
// has y > 3x (K is much farther than J) or y < x/3 (K is about as far as J) is no candidate any more. Owned
// by one host's role; it never measures or waits itself. All that was measured is kept: the insertion starts
// from the nearest.
#pragma once

#include "agentd/model/topology_adjacency.hpp"
#include "plugins/infer/published/candidates.hpp"
#include "plugins/infer/published/measurement.hpp"
#include "plugins/infer/published/travelling_tree.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace trellis::plugins::infer {

// Round trips that differ by a larger factor show that a candidate is not near.
inline constexpr double alike_within = 3;

class CloseHostSearch {
  public:
    // The tree is valid.
    CloseHostSearch(const TravellingTree& early_tree, std::uint64_t seed);

    // The host to measure next; nothing when the search is over.
    [[nodiscard]] std::optional<HostNumber> next() const;
    // The answer for next(): what was measured, or that it cannot be.
    void answer(PairMeasurement measured);
    void no_answer();

    [[nodiscard]] const Measurements& measurements() const { return measurements_; }

  private:
    void choose();

    std::vector<HostNumber> host_of_;  // by node
    TopologyAdjacency adjacency_;
    Candidates candidates_;
    std::optional<TopologyNode> wanted_;
    Measurements measurements_;
};

}  // namespace trellis::plugins::infer
