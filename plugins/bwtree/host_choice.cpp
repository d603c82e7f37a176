#include "plugins/bwtree/host_choice.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace trellis::plugins::bwtree {

std::optional<std::vector<Flow>> HostChoice::flows_over(DirectedLink target, std::size_t count) {
    if (busy_[link_of(target)] || supply_.hosts_beyond(target) == 0 ||
        supply_.hosts_beyond(opposite(target)) == 0)
        return std::nullopt;
    used_.clear();
    blocked_.clear();
    const auto receivers = hosts_behind(target, Side::receivers, count);
    if (receivers.empty()) return std::nullopt;
    const auto senders = hosts_behind(opposite(target), Side::senders, count);
    if (senders.empty()) return std::nullopt;
    // Each sender to one receiver after the other, until all pairs have been used.
    const std::size_t most = senders.size() * receivers.size();
    const std::size_t turn = std::lcm(senders.size(), receivers.size());
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < std::min(count, most); ++i)
        flows.push_back({senders[i % senders.size()], receivers[(i + i / turn) % receivers.size()], 0});
    return flows;
}

// None if fewer than wanted are free, or only such as tell little.
std::vector<TopologyNode> HostChoice::hosts_behind(DirectedLink outwards, Side side, std::size_t count) {
    if (paths_.head(outwards) < hosts_) return {paths_.head(outwards)};
    const std::size_t wanted = std::min(count, supply_.hosts_beyond(outwards));
    std::vector<TopologyNode> chosen;
    while (chosen.size() < wanted) {
        const auto host = one_more(outwards, side, (wanted + 1) / 2);
        if (!host) return {};
        chosen.push_back(*host);
    }
    if (paths_.tail(outwards) >= hosts_ && funnelled(outwards, wanted)) return {};
    // Fast ones send to fast ones.
    std::ranges::stable_sort(chosen, std::greater(), [&](TopologyNode host) {
        const DirectedLink leaving = paths_.leaving(host).front();
        return supply_.capacity(side == Side::senders ? leaving : opposite(leaving));
    });
    return chosen;
}

// All go over one link, which may be as slow as the one to be measured, since the others are busy.
bool HostChoice::funnelled(DirectedLink outwards, std::size_t hosts) const {
    std::optional<DirectedLink> only = outwards;
    while (only && paths_.head(*only) >= hosts_) {
        const DirectedLink from = *std::exchange(only, std::nullopt);
        bool others_busy = false;
        for (const DirectedLink link : paths_.leaving(paths_.head(from))) {
            if (link == opposite(from)) continue;
            others_busy |= busy_[link_of(link)] && supply_.hosts_beyond(link) > 0;
            const auto use = used_.find(link);
            if (use != used_.end() && use->second.hosts == hosts) only = link;
        }
        if (only && others_busy) return true;
    }
    return false;
}

std::optional<TopologyNode> HostChoice::one_more(DirectedLink outwards, Side side, std::size_t quota) {
    for (;;) {
        std::vector<DirectedLink> way{outwards};
        while (paths_.head(way.back()) >= hosts_) {
            const auto next = best_branch(way.back(), side, quota);
            if (!next) break;
            way.push_back(*next);
        }
        const TopologyNode end = paths_.head(way.back());
        if (end < hosts_) {
            const double rate = supply_.capacity(side == Side::senders ? opposite(way.back()) : way.back());
            for (const DirectedLink link : way) {
                used_[link].rate += rate;
                ++used_[link].hosts;
            }
            return end;
        }
        if (way.size() == 1) return std::nullopt;
        blocked_.insert(way.back());
    }
}

// What is more than the fastest host gives is as good as that. Then branches that are used already, up to
// half of all, then those that lead to few hosts, as the nearest: so that others are free for other groups.
std::optional<DirectedLink> HostChoice::best_branch(DirectedLink from, Side side, std::size_t quota) const {
    std::optional<DirectedLink> best;
    std::tuple<double, bool, bool, std::size_t, std::size_t> best_score;
    for (const DirectedLink link : paths_.leaving(paths_.head(from))) {
        if (link == opposite(from) || busy_[link_of(link)] || blocked_.contains(link)) continue;
        const auto use = used_.find(link);
        const std::size_t hosts = use == used_.end() ? 0 : use->second.hosts;
        if (hosts >= supply_.hosts_beyond(link)) continue;
        const double rate = std::min(left(link, side), supply_.greatest_of_a_host());
        const std::tuple score(rate, paths_.head(link) < hosts_, hosts < quota, hosts,
                               -supply_.hosts_beyond(link));
        if (best && score <= best_score) continue;
        best = link;
        best_score = score;
    }
    return best;
}

// What is left of the supply that a link outwards leads to.
double HostChoice::left(DirectedLink outwards, Side side) const {
    const DirectedLink used = side == Side::senders ? opposite(outwards) : outwards;
    const double beyond = side == Side::senders ? supply_.into(used) : supply_.out_of(used);
    const auto use = used_.find(outwards);
    const double rate = use == used_.end() ? 0 : use->second.rate;
    return std::max(0.0, std::min(supply_.capacity(used), beyond) - rate);
}

}  // namespace trellis::plugins::bwtree
