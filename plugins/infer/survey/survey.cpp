#include "plugins/infer/survey/survey.hpp"

#include "plugins/infer/survey/cluster_division.hpp"
#include "plugins/infer/survey/cluster_sweep.hpp"
#include "plugins/infer/survey/inference_result.hpp"
#include "plugins/infer/survey/wide_area.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr Probing probing_inside{.sets = 3, .round_trips = 10, .patience = 10, .lanes = 1, .in_turn = true};
constexpr std::size_t many_hosts = 128;
constexpr Probing probing_many{.sets = 2, .round_trips = 8, .patience = 8, .lanes = 1, .in_turn = true};
constexpr Probing probing_between{
    .sets = 2, .round_trips = 10, .patience = 10, .lanes = 16, .in_turn = false};
constexpr std::size_t most_in_tournament = 256;  // hosts; larger clusters are divided
// Pairs that are measured again: so many deviations slower than the tree's, of all one in so many.
constexpr double much_too_slow = 2.5;
constexpr std::size_t share_again = 20;
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

class Survey::State {
  public:
    State(std::vector<std::string> names, const SurveyOptions& options)
        : names_(std::move(names)), options_(options), out_(names_.size(), false) {}

    std::optional<Batch> next() {
        for (;;) {
            switch (stage_) {
                case Stage::begin:
                    sweep_.emplace(present(), names_.size(), options_.seed);
                    stage_ = Stage::sweeping;
                    break;
                case Stage::sweeping:
                    if (std::optional<Batch> batch = sweep_->next()) return batch;
                    for (const std::vector<HostNumber>& hosts : sweep_->clusters())
                        level_.push_back(add_group(hosts));
                    groups_at_top_ = groups_.size();
                    stage_ = Stage::dividing;
                    break;
                case Stage::dividing:
                    if (std::optional<Batch> batch = next_of_divisions()) return batch;
                    next_level();
                    if (!level_.empty()) break;
                    stage_ = Stage::inside;
                    return all_inside();
                case Stage::inside:
                    solve_clusters();
                    if (!std::exchange(measured_again_, true)) {
                        Batch batch = worst_again();
                        if (batch.pairs() > 0) return batch;
                    }
                    stage_ = Stage::between;
                    if (clusters_.size() > 1) return more_between();
                    break;
                case Stage::between:
                    join();
                    if (!sure_between()) {
                        representatives_ *= 2;
                        Batch batch = more_between();
                        if (batch.pairs() > 0) return batch;
                    }
                    if (!clusters_.empty()) result_ = describe(*wide_, clusters_, names_);
                    stage_ = Stage::over;
                    break;
                case Stage::over:
                    return std::nullopt;
            }
        }
    }

    void take(std::span<const PairSample> samples) {
        if (stage_ == Stage::sweeping) sweep_->take(samples);
        if (stage_ == Stage::dividing) give_to_divisions(samples);
        auto& kept = stage_ == Stage::inside ? inside_ : stage_ == Stage::between ? between_ : before_;
        kept.insert(kept.end(), samples.begin(), samples.end());
    }

    void leave_out(HostNumber host) { out_[host] = true; }
    [[nodiscard]] const InferenceResult& result() const { return result_; }
    [[nodiscard]] std::size_t pairs() const {
        std::vector<std::pair<HostNumber, HostNumber>> all;
        for (const std::vector<PairSample>* samples : {&before_, &inside_, &between_})
            for (const PairSample& sample : *samples)
                all.push_back(std::minmax(sample.a, sample.b));
        std::ranges::sort(all);
        return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
    }

  private:
    enum class Stage { begin, sweeping, dividing, inside, between, over };

    // Hosts that are near to one another: a cluster, or a part of one that is too large for a tournament.
    struct Group {
        std::vector<HostNumber> hosts;
        std::optional<ClusterDivision> division;
        std::vector<std::size_t> parts;  // other groups
    };

    [[nodiscard]] std::vector<HostNumber> present() const {
        std::vector<HostNumber> hosts;
        for (HostNumber host = 0; host < out_.size(); ++host)
            if (!out_[host]) hosts.push_back(host);
        return hosts;
    }

    std::size_t add_group(const std::vector<HostNumber>& hosts) {
        groups_.push_back({hosts, std::nullopt, {}});
        if (hosts.size() > most_in_tournament)
            groups_.back().division.emplace(hosts, options_.seed + groups_.size(), options_.confidence);
        return groups_.size() - 1;
    }
    std::optional<Batch> next_of_divisions() {
        Batch batch{probing_inside, std::vector<std::vector<Turn>>(names_.size())};
        bool any = false;
        for (const std::size_t group : level_)
            if (groups_[group].division && groups_[group].division->next(batch)) any = true;
        if (!any) return std::nullopt;
        return batch;
    }
    void give_to_divisions(std::span<const PairSample> samples) {
        constexpr auto nowhere = static_cast<std::size_t>(-1);
        std::vector<std::size_t> group_of(names_.size(), nowhere);
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
    void next_level() {
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

    // The more pairs a host takes part in, the fewer round trips each of them needs.
    Batch all_inside() {
        std::size_t largest = 0;
        for (const Group& group : groups_)
            if (group.parts.empty()) largest = std::max(largest, group.hosts.size());
        const Probing& probing = largest > many_hosts ? probing_many : probing_inside;
        Batch batch{probing, std::vector<std::vector<Turn>>(names_.size())};
        for (const Group& group : groups_)
            if (group.parts.empty()) batch.append(tournament(group.hosts, names_.size(), probing));
        return batch;
    }

    // The pairs that the trees fit worst: what a moment's disturbance adds to a round trip goes when it is
    // measured again. Those of both hosts are in one order, so that nobody waits for somebody who waits for
    // it.
    [[nodiscard]] Batch worst_again() const {
        Batch batch{probing_inside, std::vector<std::vector<Turn>>(names_.size())};
        for (const SolvedCluster& cluster : clusters_) {
            if (cluster.hosts.size() > most_in_tournament) continue;
            for (const auto& [excess, a, b] : slowest_pairs(cluster)) {
                batch.turns[a].push_back({b, true});
                batch.turns[b].push_back({a, false});
            }
        }
        return batch;
    }
    struct SlowPair {
        double excess = 0;
        HostNumber a = 0, b = 0;
    };
    [[nodiscard]] std::vector<SlowPair> slowest_pairs(const SolvedCluster& cluster) const {
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

    void solve_clusters() {
        clusters_.clear();
        reached_.assign(names_.size(), 0);
        for (const PairSample& sample : inside_)
            for (const HostNumber host : {sample.a, sample.b})
                ++reached_[host];
        for (std::size_t group = 0; group < groups_at_top_; ++group)
            if (std::optional<SolvedCluster> cluster = solve(groups_[group]))
                clusters_.push_back(std::move(*cluster));
    }
    // Hosts that have gone since, or that reached too few others of their group, have no place.
    [[nodiscard]] std::optional<SolvedCluster> solve(const Group& group) const {
        if (!group.parts.empty()) return solve_parts(group);
        SolvedCluster cluster{{}, {SwitchTree(0), 0, {}, {}, {}, {}, {}}};
        for (const HostNumber host : group.hosts)
            if (!out_[host] && 2 * reached_[host] + 1 >= group.hosts.size()) cluster.hosts.push_back(host);
        if (cluster.hosts.empty()) return std::nullopt;
        if (cluster.hosts.size() > 1)
            cluster.solved = solve_tree(table_of(cluster.hosts), {options_.confidence, {}});
        return cluster;
    }
    [[nodiscard]] std::optional<SolvedCluster> solve_parts(const Group& group) const {
        std::vector<SolvedCluster> parts;
        std::vector<bool> placed(names_.size(), false);
        for (const std::size_t part : group.parts)
            if (std::optional<SolvedCluster> solved = solve(groups_[part])) {
                for (const HostNumber host : solved->hosts)
                    placed[host] = true;
                parts.push_back(std::move(*solved));
            }
        if (parts.empty()) return std::nullopt;
        std::vector<PairSample> between = group.division->between_parts();
        std::erase_if(between, [&](const PairSample& one) { return !placed[one.a] || !placed[one.b]; });
        return as_one_cluster(parts, join_clusters(parts, between, names_.size(), options_.confidence));
    }
    [[nodiscard]] PairTable table_of(const std::vector<HostNumber>& hosts) const {
        constexpr auto nowhere = static_cast<std::size_t>(-1);
        std::vector<std::size_t> place(names_.size(), nowhere);
        for (std::size_t i = 0; i < hosts.size(); ++i)
            place[hosts[i]] = i;
        PairTable table(hosts.size());
        for (const PairSample& sample : inside_)
            if (place[sample.a] != nowhere && place[sample.b] != nowhere)
                table.add(place[sample.a], place[sample.b], sample.rtt_us, sample.spread_us);
        return table;
    }

    Batch more_between() {
        PairSet known;
        for (const PairSample& sample : between_)
            known.insert(std::minmax(sample.a, sample.b));
        return all_between(chosen(), names_.size(), known);
    }
    [[nodiscard]] std::vector<std::vector<HostNumber>> chosen() const {
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

    void join() {
        if (!clusters_.empty())
            wide_ = join_clusters(clusters_, between_, names_.size(), options_.confidence);
    }
    [[nodiscard]] bool sure_between() const {
        if (clusters_.size() < 2 || representatives_ >= most_representatives) return true;
        const double clusters = static_cast<double>(clusters_.size());
        const double pairs = static_cast<double>(between_.size()) / (clusters * (clusters - 1) / 2);
        return wide_->sigma_us <= wide_error_us * std::sqrt(pairs);
    }

    std::vector<std::string> names_;
    SurveyOptions options_;
    std::vector<bool> out_;  // by host number
    Stage stage_ = Stage::begin;
    std::optional<ClusterSweep> sweep_;
    std::vector<PairSample> before_, inside_, between_;  // of the stages before, and of these
    std::vector<Group> groups_;                          // those of the sweep first
    std::size_t groups_at_top_ = 0;
    std::vector<std::size_t> level_;    // of groups_: those that are being divided
    std::vector<std::size_t> reached_;  // by host: pairs measured within its group
    std::vector<SolvedCluster> clusters_;
    bool measured_again_ = false;
    std::size_t representatives_ = least_representatives;
    std::optional<WideTree> wide_;
    InferenceResult result_;
};

Survey::Survey(std::vector<std::string> names, const SurveyOptions& options)
    : state_(std::make_unique<State>(std::move(names), options)) {}
Survey::~Survey() = default;
Survey::Survey(Survey&&) noexcept = default;
Survey& Survey::operator=(Survey&&) noexcept = default;

std::optional<Batch> Survey::next() {
    return state_->next();
}
void Survey::take(std::span<const PairSample> samples) {
    state_->take(samples);
}
void Survey::leave_out(HostNumber host) {
    state_->leave_out(host);
}
Topology Survey::topology() const {
    return state_->result().topology;
}
std::vector<std::string> Survey::remarks() const {
    return state_->result().remarks;
}
std::size_t Survey::measured_pairs() const {
    return state_->pairs();
}

}  // namespace trellis::plugins::infer
