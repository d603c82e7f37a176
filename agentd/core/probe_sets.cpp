#include "agentd/core/probe_sets.hpp"

namespace trellis {

bool ProbeSets::add(Duration sample) {
    ++result_.round_trips;
    const bool better = in_set_ == 0 || sample < minimum_;
    if (better) minimum_ = sample;
    without_minimum_ = better ? 0 : without_minimum_ + 1;
    ++in_set_;
    if (in_set_ < plan_.round_trips && without_minimum_ < plan_.patience) return false;
    result_.minima.push_back(minimum_);
    in_set_ = without_minimum_ = 0;
    return true;
}

}  // namespace trellis
