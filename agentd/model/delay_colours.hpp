// The colours of the delays of one topology: teal for the shortest, over amber, to red for the longest, by
// their logarithm. A value of whoever draws the topology.
#pragma once

#include "trellis/topology.hpp"

#include <limits>
#include <string>
#include <vector>

namespace trellis {

class DelayColours {
  public:
    explicit DelayColours(const Topology& topology);

    // "#1f9688".
    [[nodiscard]] std::string of(Delay delay) const;

    // The shortest and the longest, if they differ; a delay of 0 counts as none.
    [[nodiscard]] std::vector<Delay> range() const;

  private:
    Delay shortest_{std::numeric_limits<double>::infinity()}, longest_{0};
};

}  // namespace trellis
