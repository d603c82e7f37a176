#include "plugins/infer/survey/inside_pairs.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace trellis::plugins::infer {
namespace {

// Pairs that are measured again: so many deviations slower than the tree's, of all one in so many.
constexpr double much_too_slow = 2.5;
constexpr std::size_t share_again = 20;

}  // namespace

void InsidePairs::take(std::span<const PairSample> samples) {
    for (const PairSample& sample : samples) {
        samples_[sample.a].push_back(sample);
        ++reached_[sample.a];
        ++reached_[sample.b];
    }
}

PairTable InsidePairs::table_of(const std::vector<HostNumber>& hosts) const {
    std::unordered_map<HostNumber, std::size_t> place;
    for (std::size_t i = 0; i < hosts.size(); ++i)
        place[hosts[i]] = i;
    PairTable table(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
        for (const PairSample& sample : samples_[hosts[i]])
            if (const auto other = place.find(sample.b); other != place.end())
                table.add(i, other->second, sample.rtt_us, sample.spread_us);
    return table;
}

Batch InsidePairs::worst_again(std::span<const SolvedCluster> clusters) const {
    Batch batch{probing_inside, std::vector<std::vector<Turn>>(reached_.size())};
    for (const SolvedCluster& cluster : clusters) {
        if (cluster.hosts.size() > most_in_tournament) continue;
        for (const auto& [excess, a, b] : slowest_pairs(cluster)) {
            batch.turns[a].push_back({b, true});
            batch.turns[b].push_back({a, false});
        }
    }
    return batch;
}

std::vector<InsidePairs::SlowPair> InsidePairs::slowest_pairs(const SolvedCluster& cluster) const {
    std::vector<SlowPair> slow;
    const PairTable table = table_of(cluster.hosts);
    for (Node a = 0; a < cluster.hosts.size() && cluster.hosts.size() > 2; ++a) {
        if (cluster.solved.noisy[a]) continue;
        const std::vector<double> far = cluster.solved.tree.distances(a);
        for (Node b = a + 1; b < cluster.hosts.size(); ++b) {
            const double excess = table.rtt(a, b) - far[b];
            if (!cluster.solved.noisy[b] && excess > much_too_slow * cluster.solved.sigma_us)
                slow.push_back({excess, cluster.hosts[a], cluster.hosts[b]});
        }
    }
    std::ranges::sort(slow, std::greater<>(), &SlowPair::excess);
    const std::size_t most = cluster.hosts.size() * (cluster.hosts.size() - 1) / 2 / share_again + 1;
    if (slow.size() > most) slow.resize(most);
    return slow;
}

}  // namespace trellis::plugins::infer
