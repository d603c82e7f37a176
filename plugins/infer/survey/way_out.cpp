#include "plugins/infer/survey/way_out.hpp"

#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {
namespace {

constexpr int most_outward_rounds = 20;
constexpr double least_move_us = 0.02;

// A switch beyond which no representative is fits as well as the one before it, but from farther away.
struct FitOfSwitch {
    double scatter = 0;
    double far = 0;  // mean
    [[nodiscard]] bool better_than(const FitOfSwitch& other) const {
        const double alike = 1e-6 * other.scatter + 1e-9;
        if (scatter < other.scatter - alike) return true;
        return scatter <= other.scatter + alike && far < other.far;
    }
};

FitOfSwitch fit_of_switch(const SwitchTree& tree, Node place, const OutwardMeans& outward) {
    const std::vector<double> far = tree.distances(place);
    const double count = std::max(1.0, static_cast<double>(outward.size()));
    double sum = 0, squares = 0, all = 0;
    for (const auto& [host, mean] : outward) {
        sum += mean - far[host];
        squares += (mean - far[host]) * (mean - far[host]);
        all += far[host];
    }
    return {squares - sum * sum / count, all / count};
}

struct FitOnLink {
    WayOut place;
    double cost = 0;
};

// With e = 1 for hosts beyond a and -1 for those beyond b, a host is e x farther away from the place at x
// from a.
FitOnLink best_on_link(const SwitchTree& tree, Node a, Node b, double length, const OutwardMeans& outward) {
    const std::vector<double> from_a = tree.distances(a), from_b = tree.distances(b);
    double n = 0, e = 0, y = 0, ey = 0, yy = 0;
    for (const auto& [host, mean] : outward) {
        const bool beyond_b = from_b[host] < from_a[host];
        const double sign = beyond_b ? -1 : 1,
                     rest = mean - (beyond_b ? from_b[host] + length : from_a[host]);
        ++n;
        e += sign;
        y += rest;
        ey += sign * rest;
        yy += rest * rest;
    }
    const double ee = n - e * e / n, covariance = ey - e * y / n;
    const double x = ee > 0 ? covariance / ee : 0;
    return {{a, b, x}, yy - y * y / n - (ee > 0 ? covariance * covariance / ee : 0)};
}

// A place on a link from which the outward means fit so much better than from any switch (`least`) that a
// switch must be there.
std::optional<WayOut> middle_of_link(const SwitchTree& tree, const OutwardMeans& outward, double least,
                                     double confidence) {
    std::optional<FitOnLink> best;
    for (const auto& [a, b] : tree.links()) {
        const double length = tree.length(a, b);
        const FitOnLink fit = best_on_link(tree, a, b, length, outward);
        const bool inside = fit.place.from_a > 0 && fit.place.from_a < length;
        if (inside && (!best || fit.cost < best->cost)) best = fit;
    }
    const double count = static_cast<double>(outward.size()), freedom = count - 2;
    if (!best || freedom < 1) return std::nullopt;
    // The place on the link is one parameter more (Schwarz, 1978).
    const double evidence =
        freedom / 2 * std::log((least + 1e-6) / (best->cost + 1e-6)) - std::log(count) / 2;
    if (evidence <= -std::log(1 - confidence)) return std::nullopt;
    return best->place;
}

// A round trip between the cluster and a host outside: the place of each among those of its side.
struct OutwardPair {
    Node inside = 0;
    std::size_t outside = 0;
    double rtt_us = 0;
};

// In the order of those inside.
std::vector<OutwardPair> outward_pairs(std::span<const PairSample> samples, const SolvedCluster& cluster) {
    std::unordered_map<HostNumber, Node> place;
    for (std::size_t i = 0; i < cluster.hosts.size(); ++i)
        place[cluster.hosts[i]] = static_cast<Node>(i);
    std::unordered_map<HostNumber, std::size_t> others;
    std::vector<OutwardPair> pairs;
    for (const PairSample& sample : samples) {
        const auto a = place.find(sample.a), b = place.find(sample.b);
        if ((a == place.end()) == (b == place.end())) continue;
        const HostNumber other = a == place.end() ? sample.a : sample.b;
        const std::size_t outside = others.try_emplace(other, others.size()).first->second;
        pairs.push_back({a == place.end() ? b->second : a->second, outside, sample.rtt_us});
    }
    std::ranges::stable_sort(pairs, {}, &OutwardPair::inside);
    return pairs;
}

// By host outside: the mean of what its round trips are beyond the part of the hosts inside.
std::vector<double> means_outside(const std::vector<OutwardPair>& pairs, const std::vector<double>& inside) {
    std::vector<double> sum, count;
    for (const OutwardPair& pair : pairs) {
        if (pair.outside >= sum.size()) {
            sum.resize(pair.outside + 1, 0);
            count.resize(pair.outside + 1, 0);
        }
        sum[pair.outside] += pair.rtt_us - inside[pair.inside];
        ++count[pair.outside];
    }
    for (std::size_t host = 0; host < sum.size(); ++host)
        sum[host] /= std::max(count[host], 1.0);
    return sum;
}

}  // namespace

OutwardMeans outward_means(std::span<const PairSample> samples, const SolvedCluster& cluster) {
    const std::vector<OutwardPair> pairs = outward_pairs(samples, cluster);
    std::vector<double> inside(cluster.hosts.size(), 0);
    OutwardMeans result;
    double moved = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_outward_rounds && moved > least_move_us; ++round) {
        const std::vector<double> outside = means_outside(pairs, inside);
        moved = 0;
        for (auto first = pairs.begin(); first != pairs.end();) {
            const Node host = first->inside;
            std::vector<double> rests;
            for (; first != pairs.end() && first->inside == host; ++first)
                rests.push_back(first->rtt_us - outside[first->outside]);
            const double before = std::exchange(inside[host], median(std::move(rests)));
            moved = std::max(moved, std::abs(inside[host] - before));
            result[host] = inside[host];
        }
    }
    return result;
}

WayOut find_way_out(const SwitchTree& tree, const OutwardMeans& outward, double confidence) {
    Node best = tree.switches().front();
    FitOfSwitch least = fit_of_switch(tree, best, outward);
    for (const Node node : tree.switches()) {
        const FitOfSwitch fit = fit_of_switch(tree, node, outward);
        if (!fit.better_than(least)) continue;
        least = fit;
        best = node;
    }
    if (const auto middle = middle_of_link(tree, outward, least.scatter, confidence)) return *middle;
    return {best, best};
}

}  // namespace trellis::plugins::infer
