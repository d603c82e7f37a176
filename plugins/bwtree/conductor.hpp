// Conductor: the root's side of a measurement: has the hosts carry out the rounds of a plan, one after the
// other, and gives it the rates. A host that is lost is left out, and a silent one until it is heard again;
// the others go on. Owned by the command for one measurement.
#pragma once

#include "trellis/command.hpp"

#include "agentd/model/directed_paths.hpp"
#include "plugins/bwtree/flow_meter.hpp"
#include "plugins/bwtree/flow_timing.hpp"
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
    std::set<TopologyNode> back;              // that were silent, and are heard again
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
    [[nodiscard]] FlowTiming timing_of(const std::vector<FlowNumber>& flows) const;
    template <class Message>
    void tell_all();
    void take(TopologyNode from, const ToRoot& message);
    void take_arrival(TopologyNode from, const Arrival& arrival);
    void take_idle(TopologyNode from, const Idle& idle);
    void align(std::span<const FlowNumber> flows);
    void settle(std::uint32_t group);
    [[nodiscard]] double read(std::span<const FlowNumber> flows, std::size_t from, std::size_t end);
    void leave_out(TopologyNode host, const std::string& why);
    void give_up(std::uint32_t group);
    void take_back(TopologyNode host);
    [[nodiscard]] bool is_out(TopologyNode host) const { return conducted_.out.contains(host); }
    [[nodiscard]] std::optional<TopologyNode> node_of(HostId host) const;
    [[nodiscard]] bool all_ready() const;

    CommandContext& context_;
    Operation& operation_;
    DirectedPaths paths_;
    std::vector<Host> hosts_;
    MeasuringPlan& plan_;
    std::uint64_t budget_;  // less what hosts may send that have not said yet how much they did
    std::map<std::pair<std::uint32_t, TopologyNode>, std::uint64_t> may_send_;  // by round and host
    std::map<TopologyNode, std::uint16_t> ports_;                               // of those that are ready
    std::map<HostId, TopologyNode> nodes_;
    // Of one flow of the round.
    struct Progress {
        std::vector<double> slots;      // rates
        std::size_t lead = most_slots;  // so many more than the last one of its group, at least
        bool ended = false;             // no more will come
        [[nodiscard]] bool tells() const { return !ended || !slots.empty(); }
        [[nodiscard]] std::size_t early() const;  // how many it had before that one began
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
