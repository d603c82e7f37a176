#include "plugins/rankmap/placing.hpp"

#include "plugins/rankmap/scotch_mapping.hpp"
#include "plugins/rankmap/swap_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace trellis::plugins::rankmap {
namespace {

// What partitions and swaps may cost: pairs of ranks that are looked at, and those of one partitioning.
constexpr std::size_t partition_effort = 400'000, most_partitioned_pairs = 2'000'000, most_partitions = 8;
constexpr double leaving = 0.1, keeping = 0.01;  // temperatures of SwapSearch

class Placing {
  public:
    explicit Placing(const Problem& problem)
        : problem_(problem), costs_(problem.site.topology, problem.link_costs) {}

    [[nodiscard]] Placed of(Method method) const {
        return method == Method::pattern ? by_pattern() : valued(method, simple(method));
    }

  private:
    [[nodiscard]] Placed valued(Method method, Placement placement) const {
        const Objective value = objective(problem_.site.topology, problem_.traffic, costs_, placement);
        return {method, std::move(placement), value};
    }
    [[nodiscard]] Placement simple(Method method) const;
    [[nodiscard]] Placed by_pattern() const;
    void partition(std::vector<Placed>& found) const;
    [[nodiscard]] Placed improved(const Placed& from, double temperature) const;
    static Placed cheapest(std::vector<Placed> found) {
        return *std::ranges::min_element(found, {},
                                         [](const Placed& placed) { return placed.objective.cost; });
    }

    const Problem& problem_;
    PathCosts costs_;
};

Placement Placing::simple(Method method) const {
    const Topology& topology = problem_.site.topology;
    const std::vector<HostIndex> hosts = method == Method::by_name  ? hosts_by_name(topology)
                                         : method == Method::by_lot ? hosts_by_lot(topology, problem_.seed)
                                                                    : depth_first_hosts(topology);
    return fill(problem_.site, hosts, problem_.traffic.ranks());
}

void Placing::partition(std::vector<Placed>& found) const {
    const std::size_t pairs = problem_.traffic.pairs();
    if (pairs > most_partitioned_pairs || problem_.traffic.uniform()) return;
    const std::size_t times = std::clamp<std::size_t>(partition_effort / (pairs + 1), 1, most_partitions);
    for (std::size_t i = 0; i < times; ++i) {
        std::optional<Placement> placement =
            scotch_placement(problem_.site, problem_.traffic, problem_.seed + i);
        if (!placement) return;
        found.push_back(valued(Method::pattern, std::move(*placement)));
    }
}

Placed Placing::improved(const Placed& from, double temperature) const {
    SwapSearch search;
    search.seed = problem_.seed;
    search.hot = temperature;
    return valued(Method::pattern,
                  improve_by_swaps(problem_.site, problem_.traffic, costs_, from.placement, search));
}

Placed Placing::by_pattern() const {
    std::vector<Placed> found;
    for (const Method method : {Method::depth_first, Method::by_name, Method::by_lot})
        found.push_back(valued(Method::pattern, simple(method)));
    partition(found);
    const Placed start = cheapest(std::move(found));
    return cheapest({start, improved(start, leaving), improved(start, keeping)});
}

}  // namespace

std::vector<Placed> place(const Problem& problem, const std::vector<Method>& methods) {
    const Placing placing(problem);
    std::vector<Placed> found;
    found.reserve(methods.size());
    for (const Method method : methods)
        found.push_back(placing.of(method));
    return found;
}

}  // namespace trellis::plugins::rankmap
