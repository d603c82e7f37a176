// A topology to look at: one HTML page that holds all it needs (style, script, data), to be opened, folded,
// searched and printed in a browser without a network. Writing only.
#pragma once

#include "trellis/topology.hpp"

#include "agentd/model/topology_bandwidth.hpp"

#include <string>
#include <string_view>

namespace trellis {

// The tree rooted at centre(), a branch for each switch and a box for the hosts of each, opened as far as
// fits on a screen. Names may hold anything: none becomes markup or script.
[[nodiscard]] std::string topology_page(const Topology& topology);
// The same, with the bandwidth of each link, which is as wide as it is fast.
[[nodiscard]] std::string topology_page(const TopologyBandwidth& tree);

// The page without its data, the parts of its script in their order, and the style that it shares with
// topology_svg(): the files of these names, put into the program when it is built.
extern const std::string_view topology_page_html;
extern const std::string_view topology_page_data_js;
extern const std::string_view topology_page_layout_js;
extern const std::string_view topology_page_elements_js;
extern const std::string_view topology_page_view_js;
extern const std::string_view topology_page_controls_js;
extern const std::string_view topology_drawing_css;

}  // namespace trellis
