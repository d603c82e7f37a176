#include "plugins/infer/changes/verification.hpp"

#include "agentd/model/host_range.hpp"
#include "plugins/infer/changes/attachment.hpp"
#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <set>

namespace trellis::plugins::infer {
namespace {

constexpr Probing probing_verified{.sets = 3, .round_trips = 6, .patience = 6, .lanes = 1, .in_turn = true};
constexpr Probing probing_again{.sets = 3, .round_trips = 20, .patience = 20, .lanes = 1, .in_turn = true};
constexpr double bad_sigmas = 4;
constexpr double least_deviation_us = 0.1;
constexpr double least_deviation_part = 0.0005;  // of a round trip
// A good pair speaks less loud than a bad one: a host that has moved may be as far from some as it was.
constexpr double good_weight = 0.3;

std::string residual_text(const char* format, double value) {
    char line[80];
    std::snprintf(line, sizeof line, format, value);
    return line;
}

}  // namespace

Verification::Verification(const Topology& kept, std::vector<std::string> names, std::uint64_t seed)
    : names_(std::move(names)),
      seed_(seed),
      topology_(project(kept, names_).value()),
      tree_(topology_),
      out_(names_.size(), false) {}

std::optional<Batch> Verification::next() {
    if (!begun_) {
        begun_ = true;
        if (Batch batch = sample_pairs(); batch.pairs() > 0) return batch;
    }
    if (stage_ == Stage::over) return std::nullopt;
    judge();
    if (stage_ == Stage::all) {
        stage_ = Stage::again;
        if (Batch batch = bad_pairs(); batch.pairs() > 0) return batch;
    }
    stage_ = Stage::over;
    name_moved();
    sum_up();
    return std::nullopt;
}

// Three rings over the hosts in depth-first order: two of neighbours, one of strangers.
Batch Verification::sample_pairs() const {
    const auto order = tree_.depth_first_hosts();
    const std::size_t n = order.size();
    std::mt19937_64 random(seed_);
    std::set<std::pair<HostNumber, HostNumber>> pairs;
    const auto add_ring = [&](std::size_t step) {
        for (std::size_t i = 0; i < n; ++i)
            if (const HostNumber a = order[i], b = order[(i + step) % n]; a != b)
                pairs.insert(std::minmax(a, b));
    };
    add_ring(1);
    if (n > 4) add_ring(2);
    if (n > 3) add_ring(2 + random() % (n - 3));
    Batch batch{probing_verified, std::vector<std::vector<Turn>>(names_.size())};
    std::vector<std::size_t> measures(names_.size(), 0);
    for (auto [a, b] : pairs) {
        if (measures[b] < measures[a]) std::swap(a, b);
        ++measures[a];
        batch.turns[a].push_back({b, true});
        batch.turns[b].push_back({a, false});
    }
    return batch;
}

Batch Verification::bad_pairs() const {
    Batch batch{probing_again, std::vector<std::vector<Turn>>(names_.size())};
    for (const Pair& pair : pairs_) {
        if (!pair.bad || out_[pair.sample.a] || out_[pair.sample.b]) continue;
        batch.turns[pair.sample.a].push_back({pair.sample.b, true});
        batch.turns[pair.sample.b].push_back({pair.sample.a, false});
    }
    return batch;
}

// The second time, what is measured again keeps its least.
void Verification::take(std::span<const PairSample> samples) {
    for (const PairSample& sample : samples) {
        if (stage_ == Stage::all) {
            pairs_.push_back({sample, 0, false, false, {}});
            continue;
        }
        for (Pair& pair : pairs_)
            if (std::minmax(pair.sample.a, pair.sample.b) == std::minmax(sample.a, sample.b) &&
                sample.rtt_us < pair.sample.rtt_us)
                pair.sample = sample;
    }
}

void Verification::judge() {
    std::erase_if(pairs_, [this](const Pair& pair) { return out_[pair.sample.a] || out_[pair.sample.b]; });
    double least = std::numeric_limits<double>::infinity();
    for (const Pair& pair : pairs_)
        least = std::min(least, pair.sample.rtt_us);
    for (Pair& pair : pairs_) {
        pair.far = is_far(pair.sample.rtt_us, least);
        pair.residual_us = pair.sample.rtt_us - 2 * tree_.distance(pair.sample.a, pair.sample.b).count();
    }
    judge(false);
    judge(true);
}

// Nearby pairs, or far ones. Neither what all of them have in common counts, if it is little, nor what the
// tree left unexplained when it was found.
void Verification::judge(bool far) {
    std::vector<double> spreads, residuals, known;
    for (const Pair& pair : pairs_) {
        if (pair.far != far) continue;
        spreads.push_back(pair.sample.spread_us);
        residuals.push_back(pair.residual_us);
    }
    if (spreads.empty()) return;
    for (std::size_t i = 0; !far && i < std::min<std::size_t>(pairs_.size(), 16); ++i)
        if (!pairs_[i].far)
            known.push_back(pair_deviation(topology_, pairs_[i].sample.a, pairs_[i].sample.rtt_us));
    const double sigma = std::max({median(spreads), median(known), least_deviation_us});
    const double common = std::clamp(median(residuals), -sigma, sigma);
    for (Pair& pair : pairs_)
        if (pair.far == far)
            pair.bad = std::abs(pair.residual_us - common) >
                       bad_sigmas * std::max(sigma, least_deviation_part * pair.sample.rtt_us) +
                           pair.sample.spread_us;
}

std::vector<TopologyNode> Verification::links_between(TopologyNode a, TopologyNode b) const {
    const std::vector<TopologyNode> path = tree_.path(a, b);
    std::vector<TopologyNode> links;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        links.push_back(tree_.parent(path[i]) == path[i + 1] ? path[i] : path[i + 1]);
    return links;
}

// The link whose pairs are bad most clearly explains them; then the next one explains what is left.
void Verification::name_moved() {
    for (Pair& pair : pairs_)
        pair.crossed = links_between(pair.sample.a, pair.sample.b);
    std::vector<Pair> all = pairs_;
    for (auto worst = worst_link(); worst; worst = worst_link()) {
        name_beyond(*worst);
        std::erase_if(pairs_, [&](const Pair& pair) { return std::ranges::count(pair.crossed, *worst) > 0; });
    }
    pairs_ = std::move(all);
}

std::optional<TopologyNode> Verification::worst_link() const {
    std::vector<double> score(topology_.node_count(), 0), bad(score.size(), 0), all(score.size(), 0);
    for (const Pair& pair : pairs_)
        for (const TopologyNode link : pair.crossed) {
            score[link] += pair.bad ? 1 : -good_weight;
            bad[link] += pair.bad ? 1 : 0;
            ++all[link];
        }
    std::optional<TopologyNode> worst;
    for (TopologyNode link = 0; link < score.size(); ++link)
        if (score[link] > 0 && bad[link] >= std::min(2.0, all[link]) &&
            (!worst || score[link] > score[*worst]))
            worst = link;
    return worst;
}

// The lesser side of the link has moved, as far as one can tell.
void Verification::name_beyond(TopologyNode node) {
    const auto below = tree_.hosts_below(node);
    const bool lesser = 2 * below.size() <= names_.size();
    std::vector<bool> beyond(names_.size(), !lesser);
    for (const TopologyNode host : below)
        beyond[host] = lesser;
    std::vector<std::string> hosts;
    for (HostNumber host = 0; host < names_.size(); ++host)
        if (beyond[host]) hosts.push_back(names_[host]);
    std::vector<double> residuals;
    for (const Pair& pair : pairs_)
        if (pair.bad && std::ranges::count(pair.crossed, node) > 0) residuals.push_back(pair.residual_us);
    std::string what = fold_hosts(hosts);
    if (!topology_.is_host(node)) what = "all beyond " + topology_.name(node) + " (" + what + ")";
    remarks_.push_back(what + " moved: round trips differ by " + residual_text("%.1f us", median(residuals)));
    moved_.insert(moved_.end(), hosts.begin(), hosts.end());
}

void Verification::sum_up() {
    std::vector<double> sizes[2];
    for (const Pair& pair : pairs_)
        sizes[pair.far].push_back(std::abs(pair.residual_us));
    if (pairs_.empty()) return;
    std::string line = "round trips differ from the topology's by " +
                       residual_text("%.1f us", deviation_of(sizes[0])) + " (standard deviation)";
    if (!sizes[1].empty())
        line += ", between distant hosts by " + residual_text("%.1f us", deviation_of(sizes[1]));
    remarks_.push_back(line);
}

Topology Verification::topology() const {
    std::vector<std::string> present;
    for (HostNumber host = 0; host < names_.size(); ++host)
        if (!out_[host]) present.push_back(names_[host]);
    return project(topology_, present).value();
}

}  // namespace trellis::plugins::infer
