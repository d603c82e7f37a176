// The default method of inference, without I/O: what is to be measured next, and which tree follows from what
// was measured. Owned by the command for one inference; it never measures, waits or asks the time. Equal
// seeds and equal answers give equal trees.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/survey/measuring_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

struct SurveyOptions {
    double confidence = 0.99;  // that a link between two switches is there, to be drawn
    bool gentle = false;       // at most one pair at a time in which a host takes part, and fewer round trips
    std::uint64_t seed = 1;
};

class Survey final : public MeasuringPlan {
  public:
    // Hosts are numbered by their place in `names`; at least one.
    Survey(std::vector<std::string> names, const SurveyOptions& options);
    ~Survey() override;
    Survey(Survey&&) noexcept;
    Survey& operator=(Survey&&) noexcept;

    // The next batch; nothing when enough is known.
    [[nodiscard]] std::optional<Batch> next() override;
    // What came of it: pairs that could not be measured are simply missing.
    void take(std::span<const PairSample> samples) override;
    // A host that is gone or takes no part: it is left out of what follows.
    void leave_out(HostNumber host) override;

    // Once next() is nothing: the tree of the hosts that could be placed, in the order of the names.
    [[nodiscard]] Topology topology() const override;
    // Remarks for the user, one a line: what could not be told apart, noisy hosts, parts that are no tree,
    // residuals.
    [[nodiscard]] std::vector<std::string> remarks() const override;
    // How many different ones.
    [[nodiscard]] std::size_t measured_pairs() const override;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace trellis::plugins::infer
