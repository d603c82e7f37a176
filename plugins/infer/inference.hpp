// Inference: `infer` of the selected hosts, once: from what is known of them, if that is enough to begin
// with, or else by measuring all; publishes the topology and tells the user. Owned by the command.
#pragma once

#include "trellis/command.hpp"

#include "plugins/infer/changes/known_topologies.hpp"
#include "plugins/infer/finding.hpp"
#include "plugins/infer/infer_options.hpp"
#include "plugins/infer/roster.hpp"
#include "plugins/infer/survey/measuring_plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

class Inference {
  public:
    // Both outlive it.
    Inference(CommandContext& context, const InferOptions& options)
        : context_(context), options_(options), known_(context.bus()) {}

    // The exit status.
    Task<int> run();
    // The exit status if what is known could be made the topology of the selection; nothing if all has to be
    // measured. Who asks again for the hosts of the session's topology wants them measured again.
    Task<std::optional<int>> adapt();
    Task<int> measure_all();

    // Has the hosts carry out a plan of the default method, or the published method, which needs none.
    // Nothing if all were lost; the roster says who was.
    Task<std::optional<Finding>> measure(Roster& roster, const PlanMaker& make);
    Task<void> show(const Topology& topology);
    // For the selected hosts.
    [[nodiscard]] std::optional<KeptPart> kept() const;
    [[nodiscard]] KnownTopologies& known() { return known_; }

  private:
    Task<std::optional<int>> place(const KeptPart& part);
    Topology publish(const Topology& whole, Roster& roster, std::optional<std::int64_t> measured);

    CommandContext& context_;
    const InferOptions& options_;
    KnownTopologies known_;
};

}  // namespace trellis::plugins::infer
