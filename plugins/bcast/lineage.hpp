// Lineage: from whom each host of a broadcast may take the object, by the method that the user has chosen.
// Pure functions. Nodes are numbered in the order of the hosts, the source being 0; all take it from a node
// of a smaller number than their own, so that nobody waits for himself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace trellis::plugins::bcast {

// chain: from the node before it. tree: in a binomial tree, in which each branch is a part of the order
// without a gap. flat: from the source.
enum class Method : std::uint8_t { chain, tree, flat };

[[nodiscard]] std::optional<Method> method_named(std::string_view name);

// The node from which this one takes the object; node > 0.
[[nodiscard]] std::size_t giver_of(Method method, std::size_t node);

// All that it may ask: that one, the one from which that takes it and so on, then the others before it,
// the nearest first. The source is last, unless it is first.
[[nodiscard]] std::vector<std::size_t> givers_of(Method method, std::size_t node);

}  // namespace trellis::plugins::bcast
