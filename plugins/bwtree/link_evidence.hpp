// LinkEvidence: what the rates of flows say of the links that they crossed. A link carries at least the
// greatest load that was seen on it. A flow is held up by some link of its way; a link that has carried
// clearly more at another time is not the one; where a single link is left, its load is its bandwidth.
// Loads are kept, so that what is seen later decides what could not be told before. Owned by a plan.
#pragma once

#include "agentd/model/directed_paths.hpp"
#include "agentd/model/topology_bandwidth.hpp"
#include "plugins/bwtree/flow.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::bwtree {

class LinkEvidence {
  public:
    // The paths outlive it.
    explicit LinkEvidence(const DirectedPaths& paths) : paths_(paths), carried_(paths.count(), 0) {}

    // A round: flows and their rates, of which those of 0 say nothing.
    void add(std::span<const Flow> flows, std::span<const FlowRate> rates);
    // The greatest load that was seen on a link in that direction.
    [[nodiscard]] double carried(DirectedLink link) const { return carried_[link]; }
    // By directed link.
    [[nodiscard]] std::vector<LinkBandwidth> judge() const;

  private:
    struct Load {
        double rate = 0;
        double variance = 0;
    };
    // A flow, and on each link of its way the load of all flows of its group.
    struct Crossing {
        std::size_t round = 0;
        std::vector<DirectedLink> links;
        std::vector<Load> loads;
    };
    [[nodiscard]] std::size_t only_full_link(const Crossing& crossing) const;

    const DirectedPaths& paths_;
    std::vector<double> carried_;
    std::vector<Crossing> crossings_;
    std::size_t rounds_ = 0;
};

}  // namespace trellis::plugins::bwtree
