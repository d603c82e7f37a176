// Surveyor: the root's side of the default method: asks a plan what to measure next, has the hosts do it,
// and gives it what they found. A host that is lost, silent or out of reach of the others is left out; the
// others go on. Owned by the command for one inference.
#pragma once

#include "trellis/command.hpp"

#include "plugins/infer/finding.hpp"
#include "plugins/infer/roster.hpp"
#include "plugins/infer/survey/measuring_plan.hpp"
#include "plugins/infer/survey/probe_load.hpp"
#include "plugins/infer/survey/survey_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {

class Surveyor {
  public:
    // All outlive it; the operation has just been started. `gentle`: at most one pair at a time in which a
    // host takes part, and fewer round trips.
    Surveyor(CommandContext& context, Operation& operation, Roster& roster, PlanMaker make_plan, bool gentle)
        : context_(context),
          operation_(operation),
          roster_(roster),
          make_plan_(std::move(make_plan)),
          gentle_(gentle) {}
    // Nothing if every host was lost.
    Task<std::optional<Finding>> run();

  private:
    Task<bool> step();
    Task<void> receive();
    Task<void> next_event();
    void leave_out_silent();
    Task<bool> gather();
    void begin();
    void send(const Batch& batch);
    [[nodiscard]] std::vector<TurnPeer> peers_of(const std::vector<Turn>& turns) const;
    void take(HostId from, const Answer& answer);
    void count_miss(HostNumber from, const Miss& miss);
    void leave_out(HostId host, const std::string& why);
    void show_progress();

    CommandContext& context_;
    Operation& operation_;
    Roster& roster_;
    PlanMaker make_plan_;
    bool gentle_;
    std::shared_ptr<MeasuringPlan> plan_;
    std::optional<OperationEvent> event_;  // that has come and is to be handled
    bool ended_ = false;                   // there will be no more
    std::map<HostId, TimePoint> silent_since_;
    std::uint32_t batch_ = 0;  // its number
    Probing probing_;          // of this batch
    std::set<HostNumber> measuring_;
    std::vector<PairSample> samples_;
    std::size_t expected_ = 0, measured_ = 0;            // pairs, of all batches
    std::map<HostNumber, std::set<HostNumber>> missed_;  // with whom a pair could not be measured
    std::map<HostNumber, std::size_t> met_;              // pairs that could
    ProbeLoad load_;
};

}  // namespace trellis::plugins::infer
