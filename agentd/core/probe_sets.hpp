// ProbeSets: which round trips make up one measurement of a pair. Pure: it is fed samples and says when a set
// and when the whole is complete; whoever sends the probes owns it.
#pragma once

#include "trellis/prober.hpp"

namespace trellis {

// Shirai 2007, section 4.1 (see ProbePlan).
class ProbeSets {
  public:
    explicit ProbeSets(const ProbePlan& plan) : plan_(plan) {}

    // One more round trip. Returns true if it completed a set.
    bool add(Duration sample);
    [[nodiscard]] bool complete() const { return static_cast<int>(result_.minima.size()) >= plan_.sets; }
    // The minima of the complete sets.
    [[nodiscard]] const ProbeResult& result() const { return result_; }

  private:
    ProbePlan plan_;
    ProbeResult result_;
    Duration minimum_{};
    int in_set_ = 0;
    int without_minimum_ = 0;
};

}  // namespace trellis
