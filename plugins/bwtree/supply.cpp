#include "plugins/bwtree/supply.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

// For each link the sum of what comes over the links behind it, each limited by its own `most`; a host gives
// its `own`. Once from the ends to the root, then back.
template <class Number>
std::vector<Number> gathered(const DirectedPaths& paths, const std::vector<Number>& own,
                             const std::vector<Number>& most) {
    std::vector<Number> behind(paths.count(), 0);
    const auto& nodes = paths.nodes_from_root();
    std::vector<Number> sum = own;  // of what comes to a node
    sum.resize(nodes.size(), 0);
    const auto pass = [&](DirectedLink link) { sum[paths.head(link)] += std::min(most[link], behind[link]); };
    for (const TopologyNode node : nodes | std::views::reverse) {
        if (node == paths.root()) break;
        behind[paths.upwards(node)] = sum[node];
        pass(paths.upwards(node));
    }
    for (const TopologyNode node : nodes | std::views::drop(1)) {
        const DirectedLink up = paths.upwards(node), down = opposite(up);
        behind[down] = sum[paths.head(up)] - std::min(most[up], behind[up]);
        pass(down);
    }
    return behind;
}

template <class Number>
std::vector<Number> turned_round(std::vector<Number> values) {
    for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        std::swap(values[i], values[i + 1]);
    return values;
}

}  // namespace

Supply::Supply(const DirectedPaths& paths, std::size_t hosts, std::vector<double> capacity)
    : capacity_(std::move(capacity)) {
    const std::vector<double> endless(hosts, unlimited);
    into_ = gathered(paths, endless, capacity_);
    out_of_ = turned_round(gathered(paths, endless, turned_round(capacity_)));
    std::vector<std::size_t> present(hosts, 1);
    for (TopologyNode host = 0; host < hosts; ++host)
        for (const DirectedLink link : paths.leaving(host)) {
            if (capacity_[link] <= 0) present[host] = 0;
            greatest_ = std::max({greatest_, capacity_[link], capacity_[opposite(link)]});
        }
    beyond_ = turned_round(gathered(paths, present, std::vector<std::size_t>(paths.count(), hosts)));
}

}  // namespace trellis::plugins::bwtree
