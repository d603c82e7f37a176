// Supply: how much the hosts of a tree could send into each link, and take out of it, by the bandwidths of
// the links between them and it. A value; made anew when more is known.
#pragma once

#include "agentd/model/directed_paths.hpp"

#include <cstddef>
#include <vector>

namespace trellis::plugins::bwtree {

// Stands for what has no known limit, in bits per second. Sums of many stay exact to a bit.
inline constexpr double unlimited = 1e15;

class Supply {
  public:
    // `capacity`: of each directed link, at most `unlimited`; 0 on a host's links: it takes no part.
    // Nodes below `hosts` are hosts.
    Supply(const DirectedPaths& paths, std::size_t hosts, std::vector<double> capacity);

    [[nodiscard]] double capacity(DirectedLink link) const { return capacity_[link]; }
    // Whatever the link itself carries.
    [[nodiscard]] double into(DirectedLink link) const { return into_[link]; }
    [[nodiscard]] double out_of(DirectedLink link) const { return out_of_[link]; }
    // How many hosts that take part are beyond it.
    [[nodiscard]] std::size_t hosts_beyond(DirectedLink link) const { return beyond_[link]; }
    // The greatest capacity of a host's link, in either direction.
    [[nodiscard]] double greatest_of_a_host() const { return greatest_; }

  private:
    std::vector<double> capacity_, into_, out_of_;
    std::vector<std::size_t> beyond_;
    double greatest_ = 0;
};

}  // namespace trellis::plugins::bwtree
