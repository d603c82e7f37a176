// Parts of a network that are no tree, such as routers joined crosswise, for each of which the tree has one
// switch: the means between its branches differ from any tree's by much more than noise, or hosts differ from
// branch to branch as single pairs do not. What stands out from noise does not stand out from such a part, so
// links near it need more evidence. Pure.
#pragma once

#include "plugins/infer/tree/tree_fit.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {

// The switches that stand for such parts. What differs by less than a thousandth of a round trip shows none.
[[nodiscard]] std::vector<Node> find_meshes(const TreeFit& fit);

// A link between two of them that carry no hosts, if any: the two are parts of one.
[[nodiscard]] std::optional<std::pair<Node, Node>> link_in_mesh(const TreeFit& fit);

// The evidence of a link where the means fit no tree well: what they differ by is the noise that it has to
// stand out from. Infinite, so that the link is left as it is, elsewhere and if one of its switches carries
// hosts.
[[nodiscard]] double evidence_in_mesh(const TreeFit& fit, Node s, Node t);

// The evidence of a link in a tree that has meshes. Routes that differ from host to host make hosts of one
// switch look like those of two. So where both switches carry hosts, all that lies beyond a link counts as
// one host. Infinite elsewhere.
[[nodiscard]] double evidence_beside_mesh(const TreeFit& fit, Node s, Node t);

}  // namespace trellis::plugins::infer
