// PublishedPlan: the schedule of Shirai 2007 (master's thesis), section 6.1.1. The tree is rooted at a
// switch; stage i = 1..h measures the links between the switches at depth h - i and their children, each
// child standing for one host below it; the children of a switch are paired, all pairs at once, and where
// their number is odd the last one is measured with any other in a second round. What a pair reaches is the
// bandwidth of both links. One direction is measured and stands for both.
#pragma once

#include "agentd/model/directed_paths.hpp"
#include "plugins/bwtree/measuring_plan.hpp"

#include <cstddef>
#include <set>
#include <vector>

namespace trellis::plugins::bwtree {

class PublishedPlan final : public MeasuringPlan {
  public:
    // The topology is valid and has two hosts or more.
    explicit PublishedPlan(Topology topology);
    PublishedPlan(const PublishedPlan&) = delete;
    PublishedPlan& operator=(const PublishedPlan&) = delete;

    [[nodiscard]] std::optional<Round> next() override;
    void take(std::span<const FlowRate> rates) override;
    void leave_out(TopologyNode host) override { out_.insert(host); }
    void take_back(TopologyNode host) override { out_.erase(host); }
    [[nodiscard]] TopologyBandwidth result() const override;

  private:
    // Which links get the rate of a flow.
    struct Pair {
        Flow flow;
        std::vector<std::size_t> links;
    };
    using Pairs = std::vector<Pair>;
    [[nodiscard]] std::optional<TopologyNode> host_below(DirectedLink down) const;
    void plan_stage();
    void plan_switch(TopologyNode node, Pairs& first, Pairs& second);

    Topology topology_;
    DirectedPaths paths_;
    std::size_t depth_ = 0;      // of the switches of the next stage, and one
    std::vector<Pairs> rounds_;  // of this stage, the last one first
    Pairs running_;
    std::vector<LinkBandwidth> found_;  // by link
    std::set<TopologyNode> out_;
};

}  // namespace trellis::plugins::bwtree
