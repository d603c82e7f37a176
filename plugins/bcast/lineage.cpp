#include "plugins/bcast/lineage.hpp"

#include <algorithm>

namespace trellis::plugins::bcast {

std::optional<Method> method_named(std::string_view name) {
    if (name == "chain") return Method::chain;
    if (name == "tree") return Method::tree;
    if (name == "flat") return Method::flat;
    return std::nullopt;
}

std::size_t giver_of(Method method, std::size_t node) {
    switch (method) {
        case Method::chain:
            return node - 1;
        case Method::tree:
            return node & (node - 1);  // without its lowest bit
        case Method::flat:
            return 0;
    }
    return 0;
}

std::vector<std::size_t> givers_of(Method method, std::size_t node) {
    std::vector<std::size_t> givers;
    if (node == 0) return givers;
    std::size_t giver = giver_of(method, node);
    if (giver == 0) givers.push_back(0);
    for (; giver > 0; giver = giver_of(method, giver))
        givers.push_back(giver);
    std::vector<bool> taken(node, false);
    for (const std::size_t each : givers)
        taken[each] = true;
    for (std::size_t other = node; other-- > 0;)
        if (!taken[other]) givers.push_back(other);
    return givers;
}

}  // namespace trellis::plugins::bcast
