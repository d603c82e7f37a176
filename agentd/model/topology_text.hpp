// A topology drawn for people: a tree of switches, hosts folded as ranges, one-way delays. Writing only.
#pragma once

#include "trellis/topology.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace trellis {

enum class LineDrawing : std::uint8_t { utf8, ascii };

// The tree rooted at centre(), one line for each switch and for each group of hosts, e.g.
//   s1
//   ├── a[00-15]  16 hosts, 20.1-20.9 us
//   └── s2  105 us
//       └── b[00-15]  16 hosts, 20.2-21.0 us
// A delay is that of the link to the line above. Hosts of one switch share a line while their delays are
// within half of the smallest (or 1 us) and they are all doubtful or all not. Doubtful links say how sure
// they are ("s2  105 us, 62% sure"), meshes that they are ("s1 (no tree inside)").
[[nodiscard]] std::string topology_text(const Topology& topology, LineDrawing lines = LineDrawing::utf8);

// What stands beside the names in a drawn tree, of the links towards its root. Nodes are those of the
// topology.
class LinkWords {
  public:
    virtual ~LinkWords() = default;
    [[nodiscard]] virtual std::string of_switch(TopologyNode node) const = 0;
    // Of some hosts of one switch that share a line.
    [[nodiscard]] virtual std::string of_hosts(std::span<const TopologyNode> hosts) const = 0;
    // The order of the hosts of one switch, and whether one that comes later in it may share the line of one.
    [[nodiscard]] virtual bool before(TopologyNode host, TopologyNode other) const = 0;
    [[nodiscard]] virtual bool alike(TopologyNode host, TopologyNode later) const = 0;
};

// The tree with other words than those on delays.
[[nodiscard]] std::string topology_text(const Topology& topology, const LinkWords& words,
                                        LineDrawing lines = LineDrawing::utf8);

// Three significant digits with a unit: "0 us", "20.1 us", "3.02 ms", "1.50 s".
[[nodiscard]] std::string delay_text(Delay delay);

// Links that are less sure than this are drawn as doubtful.
[[nodiscard]] inline bool is_doubtful(const TopologyLink& link) {
    return link.confidence < 0.95;
}

// All that is known of a link: "105 us", "105 us ± 2.10 us, 62% sure".
[[nodiscard]] std::string link_text(const TopologyLink& link);

// Of the links of some hosts, at least one, to one switch: "20.1 us", "16 hosts, 20.1-20.9 us, 62-90% sure".
[[nodiscard]] std::string host_links_text(std::span<const TopologyLink> links);

// "62% sure": rounded down, so that what is doubtful never reads as certain.
[[nodiscard]] std::string confidence_text(double confidence);

}  // namespace trellis
