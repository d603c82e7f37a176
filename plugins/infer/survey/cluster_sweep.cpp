#include "plugins/infer/survey/cluster_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t random_rounds =
    16;  // so that hardly any host of a cluster with a quarter of all meets none of it
constexpr std::size_t most_batches = 4;
constexpr Probing probing_roughly{.sets = 1, .round_trips = 3, .patience = 3, .lanes = 16, .in_turn = false};

}  // namespace

ClusterSweep::ClusterSweep(std::vector<HostNumber> hosts, std::size_t host_count, std::uint64_t seed)
    : hosts_(std::move(hosts)), host_count_(host_count), parent_(host_count) {
    std::iota(parent_.begin(), parent_.end(), HostNumber{0});
    std::mt19937_64 random(seed);
    std::ranges::shuffle(hosts_, random);
}

std::optional<Batch> ClusterSweep::next() {
    if (hosts_.size() < 4) return std::nullopt;
    if (asked_++ == 0) return tournament(hosts_, host_count_, probing_roughly, random_rounds);
    const std::vector<std::vector<HostNumber>> groups = clusters();
    if (asked_ > most_batches || groups.size() == 1 || groups.size() == groups_) return std::nullopt;
    groups_ = groups.size();
    std::vector<HostNumber> first;
    first.reserve(groups.size());
    for (const std::vector<HostNumber>& group : groups)
        first.push_back(group[(asked_ * 7) % group.size()]);
    return tournament(first, host_count_, probing_roughly);
}

void ClusterSweep::take(std::span<const PairSample> samples) {
    samples_.insert(samples_.end(), samples.begin(), samples.end());
    join_near();
}

// The middle of the widest gap, on a scale of ratios.
std::optional<double> ClusterSweep::gap() const {
    std::vector<double> rtts;
    rtts.reserve(samples_.size());
    for (const PairSample& sample : samples_)
        rtts.push_back(std::max(sample.rtt_us, 1.0));
    std::ranges::sort(rtts);
    double widest = least_gap;
    std::optional<double> middle;
    for (std::size_t i = 1; i < rtts.size(); ++i) {
        if (rtts[i] < widest * rtts[i - 1]) continue;
        widest = rtts[i] / rtts[i - 1];
        middle = std::sqrt(rtts[i] * rtts[i - 1]);
    }
    return middle;
}

void ClusterSweep::join_near() {
    const std::optional<double> limit = gap();
    std::iota(parent_.begin(), parent_.end(), HostNumber{0});
    for (const PairSample& sample : samples_)
        if (!limit || sample.rtt_us < *limit) parent_[root(sample.a)] = root(sample.b);
    for (HostNumber& parent : parent_)
        parent = root(parent);
}

// Halves the way of all that it passes, so that no way grows long.
HostNumber ClusterSweep::root(HostNumber host) {
    while (parent_[host] != host)
        host = parent_[host] = parent_[parent_[host]];
    return host;
}

// Without a gap all are one cluster, also those that answered nobody.
std::vector<std::vector<HostNumber>> ClusterSweep::clusters() const {
    if (!gap()) {
        std::vector<HostNumber> all = hosts_;
        std::ranges::sort(all);
        return {all};
    }
    std::map<HostNumber, std::vector<HostNumber>> by_root;
    for (const HostNumber host : hosts_)
        by_root[parent_[host]].push_back(host);
    std::vector<std::vector<HostNumber>> result;
    for (auto& [at, members] : by_root) {
        std::ranges::sort(members);
        result.push_back(std::move(members));
    }
    std::ranges::stable_sort(result, std::greater<>(), [](const auto& group) { return group.size(); });
    return result;
}

}  // namespace trellis::plugins::infer
