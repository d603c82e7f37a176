// What is known of the bandwidth of each link of a topology, in each direction. A plain value: `bwtree` makes
// one, the bus carries it (bandwidth_value.hpp), others read it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// A rate is that of the link itself: of whole Ethernet frames, in bits per second.
struct LinkBandwidth {
    enum class Kind : std::uint8_t {
        not_measured,
        at_least,  // this much was carried, and something else was the limit
        measured
    };
    Kind kind = Kind::not_measured;
    double bits_per_second = 0;
    double standard_error = 0;  // in bits per second; 0: not known
    friend bool operator==(const LinkBandwidth&, const LinkBandwidth&) = default;
};

struct TopologyBandwidth {
    Topology topology;
    // One for each link, in order: from its end a to its end b, and from b to a.
    std::vector<std::array<LinkBandwidth, 2>> links;
    friend bool operator==(const TopologyBandwidth&, const TopologyBandwidth&) = default;
};

// Of the way from one host to another: the least of its links. Not measured if any of them is; at least, if
// the least of the figures is such a one. Refused: a name that is no host of the topology, twice the same.
[[nodiscard]] Result<LinkBandwidth> bandwidth_between(const TopologyBandwidth& tree, std::string_view from,
                                                      std::string_view to);

// Of the ways from each of these hosts to the next one: the least link of those that are measured, in bits
// per second; the mean of those that may be as slow, as far as two standard errors tell; 0 if none is
// measured. What is no host of the topology is passed over.
[[nodiscard]] double slowest_measured_link(const TopologyBandwidth& tree,
                                           const std::vector<std::string>& chain);

// Both directions of a link, as a tree is drawn: towards the root, and from it.
struct LinkDirections {
    LinkBandwidth up, down;
    // The lesser of those that are known, in bits per second; 0 if none is.
    [[nodiscard]] double least() const;
};

// Of the link of each node towards the root; nothing is measured of the root's.
[[nodiscard]] std::vector<LinkDirections> bandwidths_by_node(const TopologyBandwidth& tree);

// "941 Mbit/s", "1.23 Gbit/s": three digits.
[[nodiscard]] std::string rate_text(double bits_per_second);
// "941 Mbit/s ± 3.20", ">= 941 Mbit/s", "not measured".
[[nodiscard]] std::string bandwidth_text(const LinkBandwidth& bandwidth);
// One figure where both directions hardly differ, else "-> 200 Mbit/s, <- 100 Mbit/s".
[[nodiscard]] std::string bandwidth_text(const LinkDirections& link);
// The tree drawn as by topology_text(), with the figures of each link: "->" towards the root, "<-" from it,
// one figure where they hardly differ. Hosts of one switch share a line while their figures are within 5%.
[[nodiscard]] std::string bandwidth_tree_text(const TopologyBandwidth& tree);

}  // namespace trellis
