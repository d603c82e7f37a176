#include "plugins/infer/published/close_host_search.hpp"

namespace trellis::plugins::infer {

CloseHostSearch::CloseHostSearch(const TravellingTree& early_tree, std::uint64_t seed)
    : host_of_(early_tree.nodes),
      adjacency_(early_tree.nodes.size(), topology_links(early_tree)),
      candidates_(early_tree.nodes.size(), seed) {
    for (TopologyNode node = 0; node < host_of_.size(); ++node)
        if (host_of_[node] != no_host) candidates_.add(node);
    choose();
}

std::optional<HostNumber> CloseHostSearch::next() const {
    if (!wanted_) return std::nullopt;
    return host_of_[*wanted_];
}

void CloseHostSearch::choose() {
    wanted_.reset();
    if (candidates_.empty()) return;
    wanted_ = candidates_.any();
    candidates_.remove(*wanted_);
}

void CloseHostSearch::answer(PairMeasurement measured) {
    measurements_[host_of_[*wanted_]] = measured;
    const std::vector<Delay> distance = adjacency_.distances_from(*wanted_);
    std::vector<TopologyNode> dropped;
    for (const TopologyNode node : candidates_.members()) {
        const Delay tree_rtt = 2 * distance[node];
        const bool alike = tree_rtt <= alike_within * measured.rtt && tree_rtt >= measured.rtt / alike_within;
        if (!alike) dropped.push_back(node);
    }
    for (const TopologyNode node : dropped)
        candidates_.remove(node);
    choose();
}

void CloseHostSearch::no_answer() {
    choose();
}

}  // namespace trellis::plugins::infer
