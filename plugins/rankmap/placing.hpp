// The methods by which ranks are placed, each with what it makes of the traffic. Pure.
#pragma once

#include "plugins/rankmap/objective.hpp"
#include "plugins/rankmap/path_costs.hpp"
#include "plugins/rankmap/placement.hpp"
#include "plugins/rankmap/traffic.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trellis::plugins::rankmap {

enum class Method : std::uint8_t { depth_first, by_name, by_lot, pattern };
inline constexpr std::array<std::string_view, 4> method_names{"depth-first", "name", "random", "pattern"};

[[nodiscard]] inline std::string_view name_of(Method method) {
    return method_names[static_cast<std::size_t>(method)];
}

struct Placed {
    Method method = Method::depth_first;
    Placement placement;
    Objective objective;
};

struct Problem {
    const Site& site;
    const Traffic& traffic;  // of at most as many ranks as the site has room
    const std::vector<double>& link_costs;
    std::uint64_t seed = 1;
};

// Of each of these methods, in their order. `pattern` is never dearer than any other: it is the cheapest of
// the other placements and of several by partitioning (scotch_mapping.hpp), made cheaper by swaps
// (swap_search.hpp), once from high and once from low temperature.
[[nodiscard]] std::vector<Placed> place(const Problem& problem, const std::vector<Method>& methods);

}  // namespace trellis::plugins::rankmap
