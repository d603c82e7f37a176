// LinkEvidence: what the rates of flows say of the links that they crossed. A link carries at least the
// greatest load that was seen on it. In a turn of its own a link is loaded by flows that should bring more
// than it carries: where the other links on their ways, by what each has carried, would have let clearly more
// through, the link was full, and its load is its bandwidth; one that is clearly slower than most, or was
// not steady, must be seen so twice, since a host may have stood still meanwhile. Turns are kept, so that
// what is seen later decides what could not be told before. Where only a little more was at hand, control
// loads decide, for which clearly less was at hand than the link carried: how much of that flows reach when
// it is not the limit. Owned by a plan.
#pragma once

#include "agentd/model/directed_paths.hpp"
#include "agentd/model/topology_bandwidth.hpp"
#include "plugins/bwtree/flow.hpp"
#include "plugins/bwtree/fluid_rates.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trellis::plugins::bwtree {

// What must have been at hand, as a share of what a link carried, for it to have been the limit.
inline constexpr double clearly_more = 1.2;
// For a control load, at most.
inline constexpr double clearly_less = 0.95;

class LinkEvidence {
  public:
    // The paths outlive it.
    explicit LinkEvidence(const DirectedPaths& paths)
        : paths_(paths), carried_(paths.count(), 0), turns_(paths.count()), known_(paths.count()) {}

    // A round: whose turn each group was, flows, and their rates, of which those of 0 say nothing.
    void add(std::span<const DirectedLink> targets, std::span<const Flow> flows,
             std::span<const FlowRate> rates);
    // The greatest load that was seen on a link in that direction, less its standard error.
    [[nodiscard]] double carried(DirectedLink link) const { return carried_[link]; }
    // What flows over a link would reach had it no limit, by what the others on their ways have carried.
    [[nodiscard]] double at_hand(DirectedLink link, std::span<const Flow> flows) const;
    // Control loads may tell whether it was the limit.
    [[nodiscard]] bool in_doubt(DirectedLink link) const;
    [[nodiscard]] const LinkBandwidth& known(DirectedLink link) const { return known_[link]; }

  private:
    struct Turn {
        std::vector<Way> ways;
        double load = 0;
        double variance = 0;
    };
    struct Loads;
    [[nodiscard]] double at_hand(DirectedLink link, std::span<const Way> ways) const;
    [[nodiscard]] bool nearly_most(DirectedLink link, const Turn& turn) const;
    [[nodiscard]] double usual() const;
    [[nodiscard]] LinkBandwidth judge(DirectedLink link) const;
    [[nodiscard]] bool limits(DirectedLink link, const Loads& full) const;

    const DirectedPaths& paths_;
    std::vector<double> carried_;
    double suspicious_ = 0;  // a link that carries less may be faster
    std::vector<std::vector<Turn>> turns_;
    std::vector<LinkBandwidth> known_;
};

}  // namespace trellis::plugins::bwtree
