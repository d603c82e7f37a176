#include "plugins/infer/survey/host_groups.hpp"

#include "plugins/infer/survey/wide_area.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t many_hosts = 128;
constexpr Probing probing_many{.sets = 2, .round_trips = 8, .patience = 8, .lanes = 1, .in_turn = true};

}  // namespace

void HostGroups::add_clusters(const std::vector<std::vector<HostNumber>>& clusters) {
    for (const std::vector<HostNumber>& hosts : clusters)
        level_.push_back(add_group(hosts));
    clusters_ = groups_.size();
}

std::optional<Batch> HostGroups::next() {
    while (!level_.empty()) {
        if (std::optional<Batch> batch = next_of_divisions()) return batch;
        next_level();
    }
    return std::nullopt;
}

std::size_t HostGroups::add_group(const std::vector<HostNumber>& hosts) {
    groups_.push_back({hosts, std::nullopt, {}});
    if (hosts.size() > most_in_tournament)
        groups_.back().division.emplace(hosts, seed_ + groups_.size(), confidence_);
    return groups_.size() - 1;
}

std::optional<Batch> HostGroups::next_of_divisions() {
    Batch batch{probing_inside, std::vector<std::vector<Turn>>(host_count_)};
    bool any = false;
    for (const std::size_t group : level_)
        if (groups_[group].division && groups_[group].division->next(batch)) any = true;
    if (!any) return std::nullopt;
    return batch;
}

void HostGroups::take(std::span<const PairSample> samples) {
    constexpr auto nowhere = static_cast<std::size_t>(-1);
    std::vector<std::size_t> group_of(host_count_, nowhere);
    for (const std::size_t group : level_)
        for (const HostNumber host : groups_[group].hosts)
            group_of[host] = group;
    std::map<std::size_t, std::vector<PairSample>> of_group;
    for (const PairSample& sample : samples)
        if (group_of[sample.a] != nowhere) of_group[group_of[sample.a]].push_back(sample);
    for (const auto& [group, own] : of_group)
        if (groups_[group].division) groups_[group].division->take(own);
}

// The parts of the groups that have just been divided.
void HostGroups::next_level() {
    std::vector<std::size_t> parts;
    for (const std::size_t group : level_) {
        if (!groups_[group].division) continue;
        const std::vector<std::vector<HostNumber>> hosts = groups_[group].division->parts();
        if (hosts.size() < 2) continue;
        for (const std::vector<HostNumber>& part : hosts) {
            const std::size_t added = add_group(part);
            groups_[group].parts.push_back(added);
            parts.push_back(added);
        }
    }
    level_ = std::move(parts);
}

// The more pairs a host takes part in, the fewer round trips each of them needs. In random order: what
// disturbs some rounds of a tournament is not to fall upon every second host by name.
Batch HostGroups::all_inside() const {
    std::size_t largest = 0;
    for (const Group& group : groups_)
        if (group.parts.empty()) largest = std::max(largest, group.hosts.size());
    const Probing& probing = largest > many_hosts ? probing_many : probing_inside;
    Batch batch{probing, std::vector<std::vector<Turn>>(host_count_)};
    std::mt19937_64 random(seed_);
    for (const Group& group : groups_) {
        if (!group.parts.empty()) continue;
        std::vector<HostNumber> hosts = group.hosts;
        std::ranges::shuffle(hosts, random);
        batch.append_tournament(hosts);
    }
    return batch;
}

std::vector<SolvedCluster> HostGroups::solve(const InsidePairs& inside, const std::vector<bool>& out) const {
    std::vector<SolvedCluster> solved;
    for (std::size_t group = 0; group < clusters_; ++group)
        if (std::optional<SolvedCluster> cluster = solve(groups_[group], inside, out))
            solved.push_back(std::move(*cluster));
    return solved;
}

std::optional<SolvedCluster> HostGroups::solve(const Group& group, const InsidePairs& inside,
                                               const std::vector<bool>& out) const {
    if (!group.parts.empty()) return solve_parts(group, inside, out);
    SolvedCluster cluster{{}, {SwitchTree(0), 0, {}, {}, {}, {}, {}}};
    for (const HostNumber host : group.hosts)
        if (!out[host] && 2 * inside.reached(host) + 1 >= group.hosts.size()) cluster.hosts.push_back(host);
    if (cluster.hosts.empty()) return std::nullopt;
    if (cluster.hosts.size() > 1)
        cluster.solved = solve_tree(inside.table_of(cluster.hosts), {confidence_, {}});
    return cluster;
}

std::optional<SolvedCluster> HostGroups::solve_parts(const Group& group, const InsidePairs& inside,
                                                     const std::vector<bool>& out) const {
    std::vector<SolvedCluster> parts;
    std::vector<bool> placed(host_count_, false);
    for (const std::size_t part : group.parts)
        if (std::optional<SolvedCluster> solved = solve(groups_[part], inside, out)) {
            for (const HostNumber host : solved->hosts)
                placed[host] = true;
            parts.push_back(std::move(*solved));
        }
    if (parts.empty()) return std::nullopt;
    std::vector<PairSample> between = group.division->between_parts();
    std::erase_if(between, [&](const PairSample& one) { return !placed[one.a] || !placed[one.b]; });
    return as_one_cluster(parts, join_clusters(parts, between, host_count_, confidence_));
}

}  // namespace trellis::plugins::infer
