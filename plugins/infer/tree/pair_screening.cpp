#include "plugins/infer/tree/pair_screening.hpp"

#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr double noisy_factor = 6;
constexpr double noisy_least_us = 2;
constexpr double detour = 1.2;  // round trips through another host that one is not longer than

// The median spread of each host's pairs: how steady its own round trips are.
std::vector<double> spreads_of_hosts(const PairTable& table) {
    std::vector<double> result;
    for (Node host = 0; host < table.hosts(); ++host) {
        std::vector<double> spreads;
        for (Node other = 0; other < table.hosts(); ++other)
            if (other != host && table.measured(host, other)) spreads.push_back(table.spread(host, other));
        result.push_back(median(std::move(spreads)));
    }
    return result;
}

std::vector<bool> find_noisy(const PairTable& table) {
    const std::vector<double> spreads = spreads_of_hosts(table);
    const double usual = median(spreads);
    std::vector<bool> noisy(spreads.size());
    std::transform(spreads.begin(), spreads.end(), noisy.begin(),
                   [&](double spread) { return spread > noisy_factor * usual && spread > noisy_least_us; });
    return noisy;
}

PairTable part_of(const PairTable& table, const std::vector<Node>& hosts) {
    PairTable part(hosts.size());
    for (std::size_t a = 0; a < hosts.size(); ++a) {
        part.set_weight(a, table.weight(hosts[a]));
        for (std::size_t b = a + 1; b < hosts.size(); ++b)
            if (table.measured(hosts[a], hosts[b]))
                part.add(a, b, table.rtt(hosts[a], hosts[b]), table.spread(hosts[a], hosts[b]));
    }
    return part;
}

// By host: the one with the least round trip to it; itself if there is none.
std::vector<Node> nearest_hosts(const PairTable& table) {
    std::vector<Node> nearest(table.hosts());
    for (Node host = 0; host < table.hosts(); ++host) {
        nearest[host] = host;
        for (Node other = 0; other < table.hosts(); ++other)
            if (table.measured(host, other) &&
                (nearest[host] == host || table.rtt(host, other) < table.rtt(host, nearest[host])))
                nearest[host] = other;
    }
    return nearest;
}

// The table without the pairs that take much longer than the way through a host near to either: no tree has
// such, and one of them alone bends it.
PairTable without_detours(const PairTable& table) {
    const std::vector<Node> nearest = nearest_hosts(table);
    const auto longer_than_by = [&](Node a, Node b, Node middle) {
        return table.measured(a, middle) && table.measured(middle, b) &&
               table.rtt(a, b) > detour * (table.rtt(a, middle) + table.rtt(middle, b)) + noisy_least_us;
    };
    PairTable kept = table;
    for (Node a = 0; a < table.hosts(); ++a)
        for (Node b = a + 1; b < table.hosts(); ++b)
            if (table.measured(a, b) &&
                (longer_than_by(a, b, nearest[a]) || longer_than_by(a, b, nearest[b])))
                kept.forget(a, b);
    return kept;
}

// By switch: the least that a round trip of the host leaves beyond it.
std::map<Node, double> least_beyond(const SwitchTree& tree, const PairTable& table, Node host) {
    std::map<Node, double> least;
    for (Node other = 0; other < table.hosts(); ++other) {
        if (other == host || !table.measured(host, other) || tree.edges(other).empty()) continue;
        const double rest = table.rtt(host, other) - tree.edges(other).front().rtt_us;
        const auto [at, first] = least.emplace(tree.switch_of(other), rest);
        if (!first) at->second = std::min(at->second, rest);
    }
    return least;
}

}  // namespace

ScreenedPairs screen(const PairTable& table) {
    ScreenedPairs screened{find_noisy(table), {}, PairTable(0)};
    for (Node host = 0; host < table.hosts(); ++host)
        if (!screened.noisy[host]) screened.steady.push_back(host);
    screened.table = without_detours(part_of(table, screened.steady));
    return screened;
}

void hang_noisy(SwitchTree& tree, const PairTable& table, Node host) {
    const std::map<Node, double> least = least_beyond(tree, table, host);
    Node best = tree.switches().front();
    double best_cost = std::numeric_limits<double>::infinity(), best_leg = 0;
    for (const Node place : tree.switches()) {
        const std::vector<double> far = tree.distances(place);
        std::vector<double> legs;
        legs.reserve(least.size());
        for (const auto& [at, rest] : least)
            legs.push_back(rest - far[at]);
        const double leg = median(legs);
        double cost = 0;
        for (const double one : legs)
            cost += std::abs(one - leg);
        if (cost >= best_cost) continue;
        best = place;
        best_cost = cost;
        best_leg = std::max(0.0, leg);
    }
    tree.link(host, best, best_leg);
}

}  // namespace trellis::plugins::infer
