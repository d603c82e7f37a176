// Where one more host hangs in a tree that is known: on one of its switches, or on a link, where a switch
// must then be. Least squares over its round trips to some hosts of the tree. Pure.
//
// If the host hangs at p, its round trip to h is x + D(p, h), with the same x for all h. Only the part of the
// tree between the hosts that were measured is looked at: beyond it, all places fit as well as where it ends.
#pragma once

#include "trellis/topology.hpp"

#include <optional>
#include <span>

namespace trellis::plugins::infer {

// A round trip between the host and one of the tree, us.
struct Reading {
    TopologyNode host = 0;
    double rtt_us = 0;
    double spread_us = 0;  // PairSample
};

struct Attachment {
    TopologyNode a = 0, b = 0;  // a switch, twice; or the ends of a link, of which either may be a host
    double from_a_us = 0;       // on a link: the round trip between a and the place
    double own_us = 0;          // what the host's own link adds to a round trip
    double own_error_us = 0;    // its standard error
    double confidence = 0;      // that it is this place rather than another that fits, 0 to 1
    // Root mean square of what the place leaves unexplained of the nearby round trips, in deviations of one
    // pair; far above 1 if no place of the tree fits.
    double misfit = 0;

    [[nodiscard]] bool on_link() const { return a != b; }
};

// What lies beyond the widest gap between nearby and far round trips.
[[nodiscard]] bool is_far(double rtt_us, double least_us);

// The standard deviation of a pair of hosts that far apart by what the tree's standard errors say; 0 if they
// say nothing.
[[nodiscard]] double pair_deviation(const Topology& topology, TopologyNode host, double rtt_us);

// A place on a link is taken if it is that sure that no switch will do (`confidence`). Nothing if there are
// fewer than two readings of different hosts.
[[nodiscard]] std::optional<Attachment> best_attachment(const Topology& topology,
                                                        std::span<const Reading> readings, double confidence);

}  // namespace trellis::plugins::infer
