// A topology as a drawing that stands still: SVG, for documents. Writing only.
#pragma once

#include "trellis/topology.hpp"

#include "agentd/model/topology_bandwidth.hpp"

#include <string>

namespace trellis {

// The tree rooted at centre() as topology_page() draws it with all switches open: hosts of a switch folded to
// one box, links wide by the hosts below and coloured by delay, what is doubtful dashed, meshes marked. What
// is known of a link or switch stands in its title, which browsers show on hover. Names may hold anything.
[[nodiscard]] std::string topology_svg(const Topology& topology);
// The same, with the bandwidth of each link, which is as wide as it is fast.
[[nodiscard]] std::string topology_svg(const TopologyBandwidth& tree);

}  // namespace trellis
