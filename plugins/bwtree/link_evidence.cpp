#include "plugins/bwtree/link_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

// A link that carried this share of what it has carried at another time may be full.
constexpr double nearly_full = 0.85;
// No load is surer than this share of it.
constexpr double least_error = 0.002;
constexpr std::size_t none = static_cast<std::size_t>(-1);

}  // namespace

// Groups share no link, so that the sum over the whole round is that over the group.
void LinkEvidence::add(std::span<const Flow> flows, std::span<const FlowRate> rates) {
    std::unordered_map<DirectedLink, Load> loads;
    const std::size_t first = crossings_.size();
    ++rounds_;
    for (std::size_t i = 0; i < flows.size(); ++i) {
        if (rates[i].bits_per_second <= 0) continue;
        crossings_.push_back({rounds_, paths_.path(flows[i].from, flows[i].to), {}});
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

// Of several loads at which a link was full, the mean, weighted by how sure each is.
std::vector<LinkBandwidth> LinkEvidence::judge() const {
    struct Sum {
        double weights = 0, rates = 0;
        std::size_t round = 0;  // the last one that counted
    };
    std::vector<Sum> sums(carried_.size());
    for (const Crossing& crossing : crossings_) {
        const std::size_t full = only_full_link(crossing);
        if (full == none) continue;
        Sum& sum = sums[crossing.links[full]];
        if (std::exchange(sum.round, crossing.round) == crossing.round) continue;
        const Load& load = crossing.loads[full];
        const double weight = 1 / std::max(load.variance, std::pow(least_error * load.rate, 2));
        sum.weights += weight;
        sum.rates += weight * load.rate;
    }
    std::vector<LinkBandwidth> all(carried_.size());
    for (std::size_t link = 0; link < all.size(); ++link) {
        const Sum& sum = sums[link];
        if (sum.weights > 0) {
            all[link] = {LinkBandwidth::Kind::measured, sum.rates / sum.weights, std::sqrt(1 / sum.weights)};
        } else if (carried_[link] > 0) {
            all[link] = {LinkBandwidth::Kind::at_least, carried_[link], 0};
        }
    }
    return all;
}

}  // namespace trellis::plugins::bwtree
