// Placement: finds the places of a few new hosts in a tree that holds for the others, by few pairs: O(depth
// times degree) for each. Pure; owned by the command for one inference.
//
// A new host begins at the centre of the tree: one host beyond each branch is measured, and the place that
// fits all its round trips best is where its way leaves theirs (attachment.hpp). Then the branches of that
// place are looked at, until all of them are known; then several hosts of each of them, exactly. New hosts at
// the same place are measured among themselves, for they may share a switch that nobody had before.
#pragma once

#include "plugins/infer/changes/newcomer.hpp"
#include "plugins/infer/survey/measuring_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {

class Placement final : public MeasuringPlan {
  public:
    // `kept`: a tree of some of the hosts, at least three; hosts of it that are not among the names are left
    // out of it. Hosts are numbered by their place in `names`. `confidence`: of a new switch.
    Placement(const Topology& kept, std::vector<std::string> names, double confidence);

    [[nodiscard]] std::optional<Batch> next() override;
    void take(std::span<const PairSample> samples) override;
    void leave_out(HostNumber host) override { out_[host] = true; }
    [[nodiscard]] Topology topology() const override;
    [[nodiscard]] std::vector<std::string> remarks() const override { return remarks_; }
    [[nodiscard]] std::size_t measured_pairs() const override { return pairs_.size(); }

    // Once next() is nothing: those whose place is not sure. They are not in the topology, and all should be
    // measured anew.
    [[nodiscard]] const std::vector<HostNumber>& unplaced() const { return unplaced_; }

  private:
    enum class Stage { descending, confirming, among, over };

    [[nodiscard]] std::vector<BranchHosts> around(const Newcomer& newcomer) const;
    Batch measure_around();
    Batch measure_among();
    void add_reading(HostNumber newcomer, HostNumber other, const PairSample& sample);
    void hang_all();
    void hang_one(const Newcomer& newcomer);
    [[nodiscard]] std::vector<Reading> all_readings(const Newcomer& newcomer) const;

    std::vector<std::string> names_;
    double confidence_;
    Topology topology_;               // of the hosts that were kept, then also of those that were placed
    std::vector<HostNumber> number_;  // by host of topology_
    std::vector<TopologyNode> host_;  // by number: host of topology_, or none
    std::vector<bool> out_;           // by number
    std::vector<Newcomer> newcomers_;
    std::vector<PairSample> among_;  // between newcomers
    std::set<std::pair<HostNumber, HostNumber>> pairs_;
    Stage stage_ = Stage::descending;
    std::size_t rounds_ = 0;
    std::vector<HostNumber> unplaced_;
    std::vector<std::string> remarks_;
};

}  // namespace trellis::plugins::infer
