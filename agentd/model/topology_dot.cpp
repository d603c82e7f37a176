#include "agentd/model/topology_dot.hpp"

#include "agentd/model/topology_text.hpp"

#include <algorithm>

namespace trellis {
namespace {

std::string dot_string(const std::string& name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "\"";
}

const char* shape_of(const Topology& topology, TopologyNode node) {
    if (topology.is_host(node)) return "box";
    return std::ranges::binary_search(topology.meshes, node) ? "doublecircle" : "ellipse";
}

}  // namespace

std::string topology_dot(const Topology& topology) {
    std::string text = "graph topology {\n";
    for (TopologyNode node = 0; node < topology.node_count(); ++node)
        text += "  " + dot_string(topology.name(node)) + " [shape=" + shape_of(topology, node) + "];\n";
    for (const TopologyLink& link : topology.links)
        text += "  " + dot_string(topology.name(link.a)) + " -- " + dot_string(topology.name(link.b)) +
                " [label=\"" + delay_text(link.delay) + "\", tooltip=\"" + link_text(link) + "\"" +
                (is_doubtful(link) ? ", style=dashed" : "") + "];\n";
    return text + "}\n";
}

}  // namespace trellis
