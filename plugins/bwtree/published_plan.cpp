#include "plugins/bwtree/published_plan.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace trellis::plugins::bwtree {

PublishedPlan::PublishedPlan(Topology topology)
    : topology_(std::move(topology)), paths_(topology_), found_(topology_.links.size()) {
    for (const TopologyNode node : paths_.nodes_from_root())
        depth_ = std::max(depth_, paths_.depth(node));
}

// The first one that is there, depth first.
std::optional<TopologyNode> PublishedPlan::host_below(DirectedLink down) const {
    std::vector<DirectedLink> open{down};
    while (!open.empty()) {
        const DirectedLink link = open.back();
        open.pop_back();
        const TopologyNode node = paths_.head(link);
        if (topology_.is_host(node) && !out_.contains(node)) return node;
        for (const DirectedLink next : paths_.leaving(node) | std::views::reverse)
            if (next != opposite(link)) open.push_back(next);
    }
    return std::nullopt;
}

void PublishedPlan::plan_switch(TopologyNode node, Pairs& first, Pairs& second) {
    std::vector<std::pair<std::size_t, TopologyNode>> children;  // link and representative
    if (topology_.is_host(node) && !out_.contains(node)) children.emplace_back(topology_.links.size(), node);
    for (const DirectedLink link : paths_.leaving(node)) {
        if (node != paths_.root() && link == paths_.upwards(node)) continue;
        if (const auto host = host_below(link)) children.emplace_back(link_of(link), *host);
    }
    for (std::size_t i = 0; i + 1 < children.size(); i += 2)
        first.push_back(
            {{children[i].second, children[i + 1].second, static_cast<std::uint32_t>(first.size())},
             {children[i].first, children[i + 1].first}});
    if (children.size() < 2 || children.size() % 2 == 0) return;
    second.push_back(
        {{children.back().second, children.front().second, static_cast<std::uint32_t>(second.size())},
         {children.back().first}});
}

void PublishedPlan::plan_stage() {
    --depth_;
    Pairs first, second;
    for (const TopologyNode node : paths_.nodes_from_root())
        if (paths_.depth(node) == depth_) plan_switch(node, first, second);
    for (Pairs* round : {&second, &first})
        if (!round->empty()) rounds_.push_back(std::move(*round));
}

std::optional<Round> PublishedPlan::next() {
    while (rounds_.empty() && depth_ > 0)
        plan_stage();
    if (rounds_.empty()) return std::nullopt;
    running_ = std::move(rounds_.back());
    rounds_.pop_back();
    Round round;
    for (const Pair& pair : running_)
        round.push_back(pair.flow);
    return round;
}

void PublishedPlan::take(std::span<const FlowRate> rates) {
    for (std::size_t i = 0; i < running_.size(); ++i)
        for (const std::size_t link : running_[i].links)
            if (rates[i].bits_per_second > 0 && link < found_.size())
                found_[link] = {LinkBandwidth::Kind::measured, rates[i].bits_per_second,
                                rates[i].standard_error};
}

TopologyBandwidth PublishedPlan::result() const {
    TopologyBandwidth tree{topology_, {}};
    for (const LinkBandwidth& one : found_)
        tree.links.push_back({one, one});
    return tree;
}

}  // namespace trellis::plugins::bwtree
