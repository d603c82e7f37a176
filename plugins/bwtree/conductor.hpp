// Conductor: the root's side of a measurement: has the hosts carry out the rounds of a plan, one after the
// other, and gives it the rates. A host that is lost is left out, and a silent one until it is heard again;
// the others go on. Owned by the command for one measurement.
#pragma once

#include "trellis/command.hpp"

#include "agentd/model/directed_paths.hpp"
#include "plugins/bwtree/measuring_plan.hpp"
#include "plugins/bwtree/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::bwtree {

struct Conducted {
    std::size_t rounds = 0;
    std::uint64_t bytes = 0;  // that were sent
    bool budget_spent = false;
    std::map<TopologyNode, std::string> out;  // hosts left out, and why
    std::size_t failures = 0;                 // flows of which nothing came, though both hosts were there
    std::string failure;                      // the first of these
};

class Conductor {
  public:
    // All outlive it; the operation has just been started. `hosts`: by node of the topology. `budget`: bytes.
    Conductor(CommandContext& context, Operation& operation, const Topology& topology,
              std::vector<Host> hosts, MeasuringPlan& plan, std::uint64_t budget);
    Task<void> run();
    [[nodiscard]] const Conducted& conducted() const { return conducted_; }

  private:
    Task<bool> step();
    Task<bool> carry_out(const Round& round);
    void send(const Round& round);
    template <class Message>
    void tell_all();
    void take(TopologyNode from, const ToRoot& message);
    void take_idle(TopologyNode from, const Idle& idle);
    void take_arrival(TopologyNode from, const Arrival& arrival);
    void settle(std::uint32_t group);
    [[nodiscard]] double read(std::span<const FlowNumber> flows, std::size_t from, std::size_t end);
    void leave_out(TopologyNode host, const std::string& why);
    void void_group(std::uint32_t group);
    [[nodiscard]] std::uint64_t flows_from(TopologyNode host) const;
    void take_back(TopologyNode host);
    [[nodiscard]] bool is_out(TopologyNode host) const { return conducted_.out.contains(host); }
    [[nodiscard]] std::optional<TopologyNode> node_of(HostId host) const;
    [[nodiscard]] bool all_ready() const;

    CommandContext& context_;
    Operation& operation_;
    DirectedPaths paths_;
    std::vector<Host> hosts_;
    MeasuringPlan& plan_;
    std::uint64_t budget_;
    bool limited_;                    // there is one
    std::uint64_t most_of_flow_ = 0;  // bytes, in this round
    // Bytes of hosts that were left out, by round: what they have said nothing of.
    std::map<std::pair<std::uint32_t, TopologyNode>, std::uint64_t> supposed_;
    std::map<TopologyNode, std::uint16_t> ports_;  // of those that are ready
    std::map<HostId, TopologyNode> nodes_;
    // Of one flow of the round.
    struct Progress {
        std::vector<double> slots;  // rates
        bool ended = false;         // no more will come
        std::size_t earlier = 0;    // so many slots than the flow of its group that began last
    };
    Round round_;
    std::vector<Progress> progress_;
    std::vector<FlowRate> rates_;
    std::set<FlowNumber> connecting_;
    std::map<std::uint32_t, std::vector<FlowNumber>> measuring_;  // groups that are not settled
    std::set<TopologyNode> busy_;                                 // hosts that take part in it
    Conducted conducted_;
};

}  // namespace trellis::plugins::bwtree
