#include "plugins/bwtree/link_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace trellis::plugins::bwtree {
namespace {

// A link that carried this share of what it has carried at another time may be full.
constexpr double nearly_full = 0.85;
constexpr std::size_t none = static_cast<std::size_t>(-1);

}  // namespace

// Groups share no link, so that the sum over the whole round is that over the group.
void LinkEvidence::add(std::span<const Flow> flows, std::span<const FlowRate> rates) {
    std::unordered_map<DirectedLink, Load> loads;
    const std::size_t first = crossings_.size();
    for (std::size_t i = 0; i < flows.size(); ++i) {
        if (rates[i].bits_per_second <= 0) continue;
        crossings_.push_back({paths_.path(flows[i].from, flows[i].to), {}});
        for (const DirectedLink link : crossings_.back().links) {
            loads[link].rate += rates[i].bits_per_second;
            loads[link].variance += rates[i].standard_error * rates[i].standard_error;
        }
    }
    for (const auto& [link, load] : loads)
        carried_[link] = std::max(carried_[link], load.rate);
    for (std::size_t i = first; i < crossings_.size(); ++i)
        for (const DirectedLink link : crossings_[i].links)
            crossings_[i].loads.push_back(loads[link]);
}

// Its place on the way; none if several may be full.
std::size_t LinkEvidence::only_full_link(const Crossing& crossing) const {
    std::size_t full = none;
    for (std::size_t i = 0; i < crossing.links.size(); ++i) {
        if (crossing.loads[i].rate < nearly_full * carried_[crossing.links[i]]) continue;
        if (full != none) return none;
        full = i;
    }
    return full;
}

// Of several loads at which a link was full, the greatest: something may have disturbed the others.
std::vector<LinkBandwidth> LinkEvidence::judge() const {
    using Kind = LinkBandwidth::Kind;
    std::vector<LinkBandwidth> all(carried_.size());
    for (std::size_t link = 0; link < all.size(); ++link)
        if (carried_[link] > 0) all[link] = {Kind::at_least, carried_[link], 0};
    for (const Crossing& crossing : crossings_) {
        const std::size_t full = only_full_link(crossing);
        if (full == none) continue;
        const Load& load = crossing.loads[full];
        LinkBandwidth& found = all[crossing.links[full]];
        if (found.kind == Kind::measured && found.bits_per_second >= load.rate) continue;
        found = {Kind::measured, load.rate, std::sqrt(load.variance)};
    }
    return all;
}

}  // namespace trellis::plugins::bwtree
