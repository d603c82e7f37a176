// add: Shirai 2007, sections 3.4.2, 4.2 and 4.3, as a step machine without I/O: finds where one new host
// branches off a tree, and adds it. Owned by one host's role for its turn; it never measures or waits itself.
#pragma once

#include "agentd/model/topology_adjacency.hpp"
#include "plugins/infer/published/candidates.hpp"
#include "plugins/infer/published/measurement.hpp"
#include "plugins/infer/published/travelling_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace trellis::plugins::infer {

// The choices that the source leaves open are made so:
// - What was measured before is used before a new measurement is asked for, the nearest host first, so that
//   the first host A is the close host; otherwise hosts are taken at random. No pair is measured twice.
// - A branching point is computed from two measurements and a distance on the tree. It counts as an existing
//   switch, the nearest on the path, within the greatest of the tolerances of all three, taken as a one-way
//   delay (that of the distance: of the measurements that placed the two hosts in the tree); or within 1e-9
//   of the path, for rounding.
// - Negative legs, which only noise gives, count as zero, and the branching point stays on the path. A host
//   that shares its machine with another thus hangs beside it with legs of zero.
class Insertion {
  public:
    // The tree is valid and does not hold the newcomer.
    Insertion(TravellingTree tree, HostNumber newcomer, Measurements known, std::uint64_t seed);

    // The host to measure next; nothing when the search is over.
    [[nodiscard]] std::optional<HostNumber> next() const;
    // The answer for next(): what was measured, or that it cannot be (the place is then found without that
    // host).
    void answer(PairMeasurement measured);
    void no_answer();

    // Once next() is nothing: whether the newcomer found its place; if too few hosts could be measured, it
    // did not.
    [[nodiscard]] bool inserted() const { return inserted_; }
    // Once next() is nothing: the tree, with the newcomer if it was inserted, and with its measured pairs
    // counted.
    [[nodiscard]] const TravellingTree& tree() const { return tree_; }
    // All that the newcomer has measured, before and now.
    [[nodiscard]] const Measurements& measurements() const { return known_; }

  private:
    struct Measured {
        TopologyNode node = 0;
        PairMeasurement pair;
    };
    // Where the newcomer branches off the path from A to B: at its node `index`, or between that and the next
    // one.
    struct Branching {
        std::vector<TopologyNode> path;
        std::size_t index = 0;
        bool at_switch = false;
        Delay offset{0};  // between path[index] and the place
        Delay from_a{0};
        Delay from_b{0};
        Delay leg{0};        // from the place to the newcomer
        Delay tolerance{0};  // of the two measurements
    };

    void hang_from_first_node();
    void order_known();
    void advance();
    [[nodiscard]] std::optional<TopologyNode> choose();
    void consider(const Measured& measured);
    [[nodiscard]] std::vector<TopologyNode> path(TopologyNode a, TopologyNode b) const;
    [[nodiscard]] Delay link_delay(TopologyNode a, TopologyNode b) const;
    [[nodiscard]] Branching branching(const Measured& a, const Measured& b) const;
    void locate(Branching& place, Delay tolerance) const;
    void narrow(const Branching& place);
    [[nodiscard]] std::vector<TopologyNode> leaves_beyond(TopologyNode from, TopologyNode neighbour) const;
    void finish();
    [[nodiscard]] TopologyNode branching_switch();
    void connect(TopologyNode node, Delay leg, Delay tolerance);

    TravellingTree tree_;
    HostNumber newcomer_;
    Measurements known_;
    TopologyAdjacency adjacency_;
    Candidates candidates_;
    std::vector<TopologyNode> parent_;  // with node 0 at the top, its own parent
    std::vector<Delay> parent_delay_;
    std::vector<std::size_t> depth_;
    std::vector<TopologyNode> nearest_;  // nodes measured before, nearest first
    std::size_t next_nearest_ = 0;
    std::optional<TopologyNode> wanted_;
    std::optional<Measured> a_;
    std::optional<Branching> place_;
    bool inserted_ = false;
};

}  // namespace trellis::plugins::infer
