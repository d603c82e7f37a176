// SaturatingPlan: the default method. Each link has turns in which it is loaded in one direction by several
// flows at once, over hosts and links of which none has to carry as much as it, and by more and more while it
// may still not be full: the links of the hosts first, then, with the hosts that turned out fast, those
// between switches. Links of which it is in doubt whether they were full have control turns, with some hosts
// left out and with all by turns. Groups of flows that run at the same time share no link, whichever
// direction.
#pragma once

#include "plugins/bwtree/link_evidence.hpp"
#include "plugins/bwtree/measuring_plan.hpp"
#include "plugins/bwtree/supply.hpp"

#include <cstddef>
#include <set>
#include <vector>

namespace trellis::plugins::bwtree {

class SaturatingPlan final : public MeasuringPlan {
  public:
    // The topology is valid and has two hosts or more.
    explicit SaturatingPlan(Topology topology);
    SaturatingPlan(const SaturatingPlan&) = delete;
    SaturatingPlan& operator=(const SaturatingPlan&) = delete;

    [[nodiscard]] std::optional<Round> next() override;
    void take(std::span<const FlowRate> rates) override;
    void leave_out(TopologyNode host) override { out_.insert(host); }
    void take_back(TopologyNode host) override;
    [[nodiscard]] TopologyBandwidth result() const override;

  private:
    // Of one directed link.
    struct Tried {
        std::size_t turns = 0;
        std::size_t flows = 0;     // in the last one
        std::size_t controls = 0;  // turns after these
    };
    enum class Pass { hosts, trunks, rest, controls, none };
    bool begin_pass();
    void fill_round();
    [[nodiscard]] bool has_turn(DirectedLink link, const Supply& supply) const;
    [[nodiscard]] std::optional<std::vector<Flow>> flows_over(DirectedLink link, const Supply& supply,
                                                              const std::vector<bool>& busy) const;
    void leave_out_hosts(DirectedLink link, const Supply& supply, std::vector<Flow>& flows) const;
    [[nodiscard]] Supply supply() const;
    [[nodiscard]] double capacity(DirectedLink link) const;
    [[nodiscard]] bool is_of_host(DirectedLink link) const;
    [[nodiscard]] bool measured(DirectedLink link) const;
    [[nodiscard]] bool promising(DirectedLink link, const Supply& supply) const;
    [[nodiscard]] std::size_t flows_for(DirectedLink link, const Supply& supply) const;

    Topology topology_;
    DirectedPaths paths_;
    LinkEvidence evidence_;
    std::vector<Tried> tried_;  // by directed link
    std::vector<DirectedLink> waiting_;
    std::set<TopologyNode> out_;
    Round round_;
    std::vector<DirectedLink> targets_;  // by group of the round
    Pass pass_ = Pass::hosts;            // the next one
};

}  // namespace trellis::plugins::bwtree
