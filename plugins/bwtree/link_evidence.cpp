#include "plugins/bwtree/link_evidence.hpp"

#include "plugins/bwtree/supply.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

using Kind = LinkBandwidth::Kind;

// Where so much was at hand, one turn is enough; otherwise another one must agree.
constexpr double ample = 1.4;
// Loads agree that are not farther than this below the greatest.
constexpr double agreeing = 0.9;

}  // namespace

// Groups share no link, so that the sum over the whole round is that over the group.
void LinkEvidence::add(std::span<const DirectedLink> targets, std::span<const Flow> flows,
                       std::span<const FlowRate> rates) {
    struct Load {
        double rate = 0, variance = 0;
    };
    std::unordered_map<DirectedLink, Load> loads;
    std::vector<Turn> turns(targets.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const double rate = rates[i].bits_per_second, variance = std::pow(rates[i].standard_error, 2);
        if (rate <= 0) continue;
        Turn& turn = turns[flows[i].group];
        turn.load += rate;
        turn.variance += variance;
        turn.ways.push_back(paths_.path(flows[i].from, flows[i].to));
        for (const DirectedLink link : turn.ways.back()) {
            loads[link].rate += rate;
            loads[link].variance += variance;
        }
    }
    for (const auto& [link, load] : loads)
        carried_[link] = std::max(carried_[link], load.rate - std::sqrt(load.variance));
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (turns[i].load > 0) turns_[targets[i]].push_back(std::move(turns[i]));
    for (DirectedLink link = 0; link < known_.size(); ++link)
        if (known_[link].kind != Kind::measured || carried_[link] * agreeing > known_[link].bits_per_second)
            known_[link] = judge(link);
}

// What the flows of a turn would have reached had the link no limit.
double LinkEvidence::at_hand(DirectedLink link, const Turn& turn) const {
    const auto capacity = [&](DirectedLink other) { return other == link ? unlimited : carried_[other]; };
    double sum = 0;
    for (const double rate : fair_rates(turn.ways, capacity))
        sum += rate;
    return sum;
}

// Of several loads at which it was full, the mean.
LinkBandwidth LinkEvidence::judge(DirectedLink link) const {
    if (carried_[link] <= 0) return {};
    double count = 0, rates = 0, variances = 0;
    bool sure = false;
    for (const Turn& turn : turns_[link]) {
        if (turn.load < agreeing * carried_[link]) continue;
        const double most = at_hand(link, turn);
        if (most < clearly_more * turn.load) continue;
        sure = count > 0 || most >= ample * turn.load;
        ++count;
        rates += turn.load;
        variances += turn.variance;
    }
    if (!sure) return {Kind::at_least, carried_[link], 0};
    return {Kind::measured, rates / count, std::sqrt(variances) / count};
}

}  // namespace trellis::plugins::bwtree
