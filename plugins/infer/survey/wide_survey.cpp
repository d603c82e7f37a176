#include "plugins/infer/survey/wide_survey.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr Probing probing_between{
    .sets = 2, .round_trips = 10, .patience = 10, .lanes = 16, .in_turn = false};
constexpr std::size_t least_representatives = 8;
constexpr std::size_t first_representatives = 16;  // at most, to begin with
constexpr std::size_t most_representatives = 64;
// The mean between two clusters is to be known that well, so that links of some microseconds show.
constexpr double wide_error_us = 0.75;

using PairSet = std::set<std::pair<HostNumber, HostNumber>>;

// All pairs of hosts of different clusters but those already measured; who has measured least so far
// measures.
Batch all_between(const std::vector<std::vector<HostNumber>>& clusters, std::size_t host_count,
                  const PairSet& known) {
    Batch batch{probing_between, std::vector<std::vector<Turn>>(host_count)};
    std::vector<std::size_t> measures(host_count, 0);
    std::size_t longest = 0;
    for (const auto& cluster : clusters)
        longest = std::max(longest, cluster.size());
    for (std::size_t shift = 0; shift < longest; ++shift)
        for (std::size_t c = 0; c < clusters.size(); ++c)
            for (std::size_t d = c + 1; d < clusters.size(); ++d)
                for (std::size_t i = 0; i < longest; ++i) {
                    const std::size_t j = (i + shift) % longest;
                    if (i >= clusters[c].size() || j >= clusters[d].size()) continue;
                    HostNumber a = clusters[c][i], b = clusters[d][j];
                    if (known.contains(std::minmax(a, b))) continue;
                    if (measures[b] < measures[a]) std::swap(a, b);
                    ++measures[a];
                    batch.turns[a].push_back({b, true});
                    batch.turns[b].push_back({a, false});
                }
    return batch;
}

}  // namespace

std::optional<Batch> WideSurvey::next() {
    if (representatives_ == 0) {
        representatives_ = least_representatives;
        if (clusters_.size() > 1) return more();
    }
    if (clusters_.empty()) return std::nullopt;
    tree_ = join_clusters(clusters_, samples_, host_count_, confidence_);
    if (sure()) return std::nullopt;
    representatives_ *= 2;
    Batch batch = more();
    if (batch.pairs() == 0) return std::nullopt;
    return batch;
}

void WideSurvey::take(std::span<const PairSample> samples) {
    samples_.insert(samples_.end(), samples.begin(), samples.end());
}

Batch WideSurvey::more() const {
    PairSet known;
    for (const PairSample& sample : samples_)
        known.insert(std::minmax(sample.a, sample.b));
    return all_between(chosen(), host_count_, known);
}

std::vector<std::vector<HostNumber>> WideSurvey::chosen() const {
    std::vector<std::vector<HostNumber>> result;
    for (const SolvedCluster& cluster : clusters_) {
        if (cluster.hosts.size() == 1) {
            result.push_back(cluster.hosts);
            continue;
        }
        const std::size_t switches = 2 * cluster.solved.tree.switches().size();
        const std::size_t first = std::clamp(switches, least_representatives, first_representatives);
        result.push_back(representatives(cluster, std::max(first, representatives_)));
    }
    return result;
}

bool WideSurvey::sure() const {
    if (clusters_.size() < 2 || representatives_ >= most_representatives) return true;
    const double clusters = static_cast<double>(clusters_.size());
    const double pairs = static_cast<double>(samples_.size()) / (clusters * (clusters - 1) / 2);
    return tree_->sigma_us <= wide_error_us * std::sqrt(pairs);
}

}  // namespace trellis::plugins::infer
