// MeasuringPlan: which flows run next, and what follows from their rates for the links, without I/O: the
// Conductor has the hosts carry it out. Owned by whoever drives it; it never measures, waits or asks the
// time.
#pragma once

#include "agentd/model/topology_bandwidth.hpp"
#include "plugins/bwtree/flow.hpp"

#include <optional>
#include <span>
#include <vector>

namespace trellis::plugins::bwtree {

class MeasuringPlan {
  public:
    virtual ~MeasuringPlan() = default;

    // The next round; nothing when enough is known.
    [[nodiscard]] virtual std::optional<Round> next() = 0;
    // What came of it: a rate for each flow of the round.
    virtual void take(std::span<const FlowRate> rates) = 0;
    // A host that is gone or silent: it is left out of the rounds that follow.
    virtual void leave_out(TopologyNode host) = 0;
    // It is heard again.
    virtual void take_back(TopologyNode host) = 0;
    // What is known by now.
    [[nodiscard]] virtual TopologyBandwidth result() const = 0;

  protected:
    MeasuringPlan() = default;
    MeasuringPlan(const MeasuringPlan&) = default;
    MeasuringPlan(MeasuringPlan&&) = default;
    MeasuringPlan& operator=(const MeasuringPlan&) = default;
    MeasuringPlan& operator=(MeasuringPlan&&) = default;
};

}  // namespace trellis::plugins::bwtree
