#include "plugins/rankmap/path_costs.hpp"

#include "agentd/model/topology_query.hpp"

#include <utility>

namespace trellis::plugins::rankmap {

Result<std::vector<double>> link_costs(const Topology& topology, CostMeasure measure,
                                       const TopologyBandwidth* bandwidth) {
    std::vector<double> costs;
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        if (measure == CostMeasure::delay) {
            costs.push_back(topology.links[i].delay.count());
        } else if (measure == CostMeasure::links) {
            costs.push_back(1);
        } else {
            if (bandwidth == nullptr || bandwidth->topology != topology)
                return unavailable("the bandwidths of these hosts are not known: run bwtree");
            double cost = 0;
            for (const LinkBandwidth& direction : bandwidth->links[i]) {
                if (direction.bits_per_second <= 0)
                    return unavailable("bwtree has not measured every link of these hosts");
                cost += 0.5 * 8e9 / direction.bits_per_second;
            }
            costs.push_back(cost);
        }
    }
    return costs;
}

// In depth-first order from the root each node's way to the one before it leads up to the parent of the
// node and from there down: so that parent is where the two ways meet.
PathCosts::PathCosts(const Topology& topology, const std::vector<double>& costs)
    : place_(topology.node_count()), height_(topology.node_count()) {
    std::vector<std::vector<std::pair<TopologyNode, double>>> near(topology.node_count());
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        const TopologyLink& link = topology.links[i];
        near[link.a].push_back({link.b, costs[i]});
        near[link.b].push_back({link.a, costs[i]});
    }
    struct Step {
        TopologyNode node, parent;
        std::uint32_t depth;
        double height;
    };
    std::vector<Step> waiting{{centre(topology), centre(topology), 0, 0}};
    nearest_.emplace_back();
    for (std::size_t place = 0; !waiting.empty(); ++place) {
        const Step step = waiting.back();
        waiting.pop_back();
        place_[step.node] = place;
        height_[step.node] = static_cast<float>(step.height);
        if (place > 0) nearest_[0].push_back({step.depth - 1, height_[step.parent]});
        for (const auto& [next, cost] : near[step.node])
            if (next != step.parent) waiting.push_back({next, step.node, step.depth + 1, step.height + cost});
    }
    const std::size_t count = nearest_[0].size();
    for (std::size_t width = 1; 2 * width <= count; width *= 2) {
        const std::vector<Meeting>& half = nearest_.back();
        std::vector<Meeting> row(count + 1 - 2 * width);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = half[i].depth <= half[i + width].depth ? half[i] : half[i + width];
        nearest_.push_back(std::move(row));
    }
    logarithm_.resize(count + 1, 0);
    for (std::size_t i = 2; i <= count; ++i)
        logarithm_[i] = static_cast<std::uint8_t>(logarithm_[i / 2] + 1);
}

}  // namespace trellis::plugins::rankmap
