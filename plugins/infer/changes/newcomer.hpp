// A host that is to find its place in a tree: its round trips to hosts of the tree, and with which of them it
// is to be measured next. Owned by a Placement.
#pragma once

#include "plugins/infer/changes/surroundings.hpp"
#include "plugins/infer/survey/batch.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace trellis::plugins::infer {

class Newcomer {
  public:
    explicit Newcomer(HostNumber number) : number_(number) {}

    [[nodiscard]] HostNumber number() const { return number_; }
    // The least of each host.
    [[nodiscard]] const std::vector<Reading>& readings() const { return readings_; }
    // `in_full`: with as many round trips as count for the place.
    void take(const Reading& reading, bool in_full);
    // As many of each branch as are wanted and still missing, those that are measured already first, unless
    // that was in full; none that has been asked before.
    [[nodiscard]] std::vector<TopologyNode> choose(std::vector<BranchHosts> branches, bool in_full);

    std::optional<Attachment> place;  // the best one so far

  private:
    void put_in_order(BranchHosts& branch, bool in_full, const std::set<TopologyNode>& known) const;

    HostNumber number_;
    std::vector<Reading> readings_;
    std::set<TopologyNode> sure_;  // measured in full
    std::set<TopologyNode> asked_, asked_in_full_;
};

}  // namespace trellis::plugins::infer
