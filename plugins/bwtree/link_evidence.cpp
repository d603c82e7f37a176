#include "plugins/bwtree/link_evidence.hpp"

#include "plugins/bwtree/supply.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

using Kind = LinkBandwidth::Kind;

// Where so much was at hand, one turn is enough; otherwise another one must agree.
constexpr double ample = 1.4;
// Of what most links carry; below it another turn must agree, too.
constexpr double clearly_slower = 0.75;
// Standard error of a load, as a share of it; beyond it, too.
constexpr double unsteady = 0.04;
// Loads agree that are not farther than this below the greatest.
constexpr double agreeing = 0.9;
// From this on, as a share of what a link carried, control loads can tell that it was the limit.
constexpr double little_more = 1.05;
// For that it takes so many loads of each sort at least; the shares of what was at hand that they reached
// differ by this at least, and by so many standard errors.
constexpr double loads_of_a_sort = 3;
constexpr double least_difference = 0.04;
constexpr double sure_errors = 3;

}  // namespace

// Several turns of a link; with what was at hand for them.
struct LinkEvidence::Loads {
    double count = 0, load = 0, squares = 0, variance = 0, at_hand = 0;
    void add(double one_load, double one_variance, double one_at_hand) {
        ++count;
        load += one_load;
        squares += one_load * one_load;
        variance += one_variance;
        at_hand += one_at_hand;
    }
    // Its error is no less than loads that lie apart tell.
    [[nodiscard]] LinkBandwidth mean() const {
        const double apart = count > 1 ? (squares - load * load / count) * count / (count - 1) : 0;
        return {Kind::measured, load / count, std::sqrt(std::max(variance, apart)) / count};
    }
    // The share of what was at hand, and its standard error.
    [[nodiscard]] double reached() const { return std::min(load / at_hand, 1.0); }
    [[nodiscard]] double error() const { return std::sqrt(variance) / at_hand; }
};

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
    suspicious_ = clearly_slower * usual();
    for (DirectedLink link = 0; link < known_.size(); ++link) {
        const LinkBandwidth& known = known_[link];
        const bool settled = known.kind == Kind::measured && known.bits_per_second >= suspicious_ &&
                             known.bits_per_second >= carried_[link] * agreeing;
        if (!settled) known_[link] = judge(link);
    }
}

// The median of what those have carried that had something to.
double LinkEvidence::usual() const {
    std::vector<double> loads;
    std::ranges::copy_if(carried_, std::back_inserter(loads), [](double load) { return load > 0; });
    if (loads.empty()) return 0;
    const auto middle = loads.begin() + static_cast<std::ptrdiff_t>(loads.size() / 2);
    std::ranges::nth_element(loads, middle);
    return *middle;
}

double LinkEvidence::at_hand(DirectedLink link, std::span<const Way> ways) const {
    const auto capacity = [&](DirectedLink other) { return other == link ? unlimited : carried_[other]; };
    double sum = 0;
    for (const double rate : fair_rates(ways, capacity))
        sum += rate;
    return sum;
}

double LinkEvidence::at_hand(DirectedLink link, std::span<const Flow> flows) const {
    std::vector<Way> ways;
    for (const Flow& flow : flows)
        ways.push_back(paths_.path(flow.from, flow.to));
    return at_hand(link, ways);
}

bool LinkEvidence::in_doubt(DirectedLink link) const {
    return known_[link].kind == Kind::at_least && std::ranges::any_of(turns_[link], [&](const Turn& turn) {
               return nearly_most(link, turn) && at_hand(link, turn.ways) >= little_more * carried_[link];
           });
}

bool LinkEvidence::nearly_most(DirectedLink link, const Turn& turn) const {
    return turn.load >= agreeing * carried_[link];
}

// Of several loads at which it was full, the mean.
LinkBandwidth LinkEvidence::judge(DirectedLink link) const {
    if (carried_[link] <= 0) return {};
    Loads limited, full;
    bool sure = false;
    for (const Turn& turn : turns_[link]) {
        if (!nearly_most(link, turn)) continue;
        const double most = at_hand(link, turn.ways);
        if (most >= little_more * carried_[link]) full.add(turn.load, turn.variance, most);
        if (most < clearly_more * turn.load) continue;
        const bool steady = std::sqrt(turn.variance) <= unsteady * turn.load;
        const bool enough = most >= ample * turn.load && turn.load >= suspicious_ && steady;
        sure = limited.count > 0 || enough;
        limited.add(turn.load, turn.variance, most);
    }
    if (sure) return limited.mean();
    if (limits(link, full)) return full.mean();
    return {Kind::at_least, carried_[link], 0};
}

// Flows never reach all that is at hand. Where control loads reach clearly more of it than full loads do, the
// link was the limit of these.
bool LinkEvidence::limits(DirectedLink link, const Loads& full) const {
    if (full.count < loads_of_a_sort) return false;
    Loads reduced;
    for (const Turn& turn : turns_[link]) {
        const double most = at_hand(link, turn.ways);
        if (most < clearly_less * carried_[link]) reduced.add(turn.load, turn.variance, most);
    }
    if (reduced.count < loads_of_a_sort || reduced.reached() < agreeing) return false;
    const double error = std::hypot(full.error(), reduced.error());
    return reduced.reached() - full.reached() > std::max(least_difference, sure_errors * error);
}

}  // namespace trellis::plugins::bwtree
