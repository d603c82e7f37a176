// MeasuringPlan: what is to be measured next, and what follows from it, without I/O: the Surveyor has the
// hosts carry it out. Owned by whoever drives it, for one operation; it never measures, waits or asks the
// time.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/survey/batch.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

class MeasuringPlan {
  public:
    virtual ~MeasuringPlan() = default;

    // The next batch; nothing when enough is known.
    [[nodiscard]] virtual std::optional<Batch> next() = 0;
    // What came of it: pairs that could not be measured are simply missing.
    virtual void take(std::span<const PairSample> samples) = 0;
    // A host that is gone or takes no part: it is left out of what follows.
    virtual void leave_out(HostNumber host) = 0;

    // Once next() is nothing: the tree of the hosts that have a place, in the order of their numbers.
    [[nodiscard]] virtual Topology topology() const = 0;
    // For the user, one a line.
    [[nodiscard]] virtual std::vector<std::string> remarks() const = 0;
    // How many different ones.
    [[nodiscard]] virtual std::size_t measured_pairs() const = 0;

  protected:
    MeasuringPlan() = default;
    MeasuringPlan(const MeasuringPlan&) = default;
    MeasuringPlan(MeasuringPlan&&) = default;
    MeasuringPlan& operator=(const MeasuringPlan&) = default;
    MeasuringPlan& operator=(MeasuringPlan&&) = default;
};

// Makes the plan once it is known who takes part: names by host number, at least one.
using PlanMaker = std::function<std::shared_ptr<MeasuringPlan>(std::vector<std::string> names)>;

}  // namespace trellis::plugins::infer
