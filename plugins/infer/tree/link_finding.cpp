#include "plugins/infer/tree/link_finding.hpp"

namespace trellis::plugins::infer {

LinkFinding renamed(LinkFinding finding, std::span<const Node> here) {
    finding.a = here[finding.a];
    finding.b = here[finding.b];
    for (Node& host : finding.beyond)
        host = here[host];
    return finding;
}

}  // namespace trellis::plugins::infer
