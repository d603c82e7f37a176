// What the measurements say of one link between two switches. A value.
#pragma once

#include "plugins/infer/tree/switch_tree.hpp"

#include <span>
#include <vector>

namespace trellis::plugins::infer {

// A link between two switches that is there, or that is nearly sure enough to be.
struct LinkFinding {
    Node a = 0, b = 0;          // two switches of the tree; the same one twice if the link is not drawn
    double evidence = 0;        // branch_split.hpp
    double standard_error = 0;  // of its round trip, us
    std::vector<Node> beyond;   // the hosts on b's side, or of the smaller part if the link is not drawn
};

// The same in another tree, where here[node] is what `node` is in this one.
[[nodiscard]] LinkFinding renamed(LinkFinding finding, std::span<const Node> here);

}  // namespace trellis::plugins::infer
