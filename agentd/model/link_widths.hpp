// How wide the links of a drawing are: where bandwidths are known, as wide as they are fast, by the
// logarithm; else as many hosts as are below. A value of whoever draws the topology.
#pragma once

#include "agentd/model/topology_bandwidth.hpp"

#include <cstddef>
#include <vector>

namespace trellis {

class LinkWidths {
  public:
    // By node; empty: none is known.
    explicit LinkWidths(const std::vector<LinkDirections>& bandwidths);

    // In pixels. `bits_per_second`: 0 if it is not known.
    [[nodiscard]] double of(double bits_per_second, std::size_t hosts_below) const;

    // The slowest and the fastest, if they differ.
    [[nodiscard]] std::vector<double> range() const;

  private:
    double slowest_ = 0, fastest_ = 0;  // 0: none is known
};

}  // namespace trellis
