#include "agentd/model/topology_dot.hpp"

#include "agentd/model/topology_text.hpp"

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

}  // namespace

std::string topology_dot(const Topology& topology) {
    std::string text = "graph topology {\n";
    for (TopologyNode node = 0; node < topology.node_count(); ++node)
        text += "  " + dot_string(topology.name(node)) +
                (topology.is_host(node) ? " [shape=box];\n" : " [shape=ellipse];\n");
    for (const TopologyLink& link : topology.links)
        text += "  " + dot_string(topology.name(link.a)) + " -- " + dot_string(topology.name(link.b)) +
                " [label=\"" + delay_text(link.delay) + "\"];\n";
    return text + "}\n";
}

}  // namespace trellis
