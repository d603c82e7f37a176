#include "plugins/infer/survey/cluster_division.hpp"

#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t sample_size = 128;
constexpr std::size_t least_branch = 2;  // hosts of the sample
constexpr std::size_t asked_of_branch = 2;
constexpr std::size_t most_of_part = 64;  // hosts outside the sample by which parts are joined again
constexpr double sure_deviations = 6;     // by which a round trip is shorter only if it shares a link
constexpr Probing probing_sample{
    .sets = 2, .round_trips = 8, .patience = 8, .lanes = 1, .in_turn = true, .pace_us = 0};
constexpr Probing probing_branches{
    .sets = 1, .round_trips = 6, .patience = 6, .lanes = 1, .in_turn = true, .pace_us = 0};

// The switch whose largest branch is smallest.
Node centre_of(const SwitchTree& tree) {
    Node best = tree.switches().front();
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Node node : tree.switches()) {
        std::size_t largest = 0;
        for (const std::vector<Node>& branch : tree.branches(node))
            largest = std::max(largest, branch.size());
        if (largest >= least) continue;
        least = largest;
        best = node;
    }
    return best;
}

}  // namespace

ClusterDivision::ClusterDivision(std::vector<HostNumber> hosts, std::uint64_t seed, double confidence)
    : hosts_(std::move(hosts)), sample_(std::min(sample_size, hosts_.size())), confidence_(confidence) {
    const std::size_t numbers = *std::ranges::max_element(hosts_) + std::size_t{1};
    from_centre_.assign(numbers, 0);
    part_.assign(numbers, 0);
    in_sample_.assign(numbers, false);
    std::mt19937_64 random(seed);
    std::ranges::shuffle(hosts_, random);
    for (std::size_t i = 0; i < sample_; ++i)
        in_sample_[hosts_[i]] = true;
}

bool ClusterDivision::next(Batch& batch) {
    if (step_ == 0) {
        batch.probing = probing_sample;
        const std::vector<HostNumber> sample(hosts_.begin(),
                                             hosts_.begin() + static_cast<std::ptrdiff_t>(sample_));
        batch.append_tournament(sample);
    } else if (step_ == 1) {
        solve();
        if (branches_.size() < 2) return false;
        batch.probing = probing_branches;
        ask_others(batch);
    }
    return step_++ < 2;
}

void ClusterDivision::take(std::span<const PairSample> samples) {
    std::vector<PairSample>& kept = step_ == 1 ? tournament_ : others_;
    kept.insert(kept.end(), samples.begin(), samples.end());
}

void ClusterDivision::solve() {
    std::vector<std::size_t> place(part_.size(), sample_);
    for (std::size_t i = 0; i < sample_; ++i)
        place[hosts_[i]] = i;
    PairTable table(sample_);
    for (const PairSample& sample : tournament_)
        table.add(place[sample.a], place[sample.b], sample.rtt_us, sample.spread_us);
    find_branches(solve_tree(table, {confidence_, {}}));
}

void ClusterDivision::find_branches(const SolvedTree& solved) {
    const Node centre = centre_of(solved.tree);
    const std::vector<double> far = solved.tree.distances(centre);
    for (Node host = 0; host < sample_; ++host)
        from_centre_[hosts_[host]] = far[host];
    const std::vector<std::vector<Node>> branches = solved.tree.branches(centre);
    for (std::size_t b = 0; b < branches.size(); ++b) {
        std::vector<HostNumber> hosts;
        for (const Node host : branches[b])
            hosts.push_back(hosts_[host]);
        if (hosts.size() < least_branch) {
            beside_.insert(beside_.end(), hosts.begin(), hosts.end());
        } else {
            for (const HostNumber host : hosts)
                part_[host] = branches_.size();
            branches_.push_back({std::move(hosts), solved.tree.edges(centre)[b].rtt_us});
        }
    }
    for (const HostNumber host : beside_)
        part_[host] = branches_.size();
}

// Of each branch in turn. Pairs are put into both hosts' turns in one order, so that nobody waits for
// somebody who waits for it. The hosts of the sample share them evenly, and each measures one pair of theirs
// once more in this way.
void ClusterDivision::ask_others(Batch& batch) const {
    for (std::size_t round = 0; round < branches_.size() * asked_of_branch; ++round)
        for (std::size_t i = sample_; i < hosts_.size(); ++i) {
            const std::size_t b = (i + round) % branches_.size();
            const std::vector<HostNumber>& asked = branches_[b].sample;
            const HostNumber a = hosts_[i];
            const HostNumber peer = asked[(i / branches_.size() + round) % asked.size()];
            batch.turns[a].push_back({peer, true});
            batch.turns[peer].push_back({a, false});
        }
    for (std::size_t i = 0; i + 1 < sample_; i += 2) {
        batch.turns[hosts_[i]].push_back({hosts_[i + 1], true});
        batch.turns[hosts_[i + 1]].push_back({hosts_[i], false});
    }
}

// By how much the least of fewer round trips is greater, as pairs measured in both ways show.
double ClusterDivision::excess_of_few() const {
    std::map<std::pair<HostNumber, HostNumber>, double> few;
    for (const PairSample& sample : others_)
        if (in_sample_[sample.a]) few[std::minmax(sample.a, sample.b)] = sample.rtt_us;
    std::vector<double> differences;
    for (const PairSample& sample : tournament_)
        if (const auto again = few.find(std::minmax(sample.a, sample.b)); again != few.end())
            differences.push_back(again->second - sample.rtt_us);
    return median(std::move(differences));
}

// What a host's round trip to one of the sample exceeds that one's way to the centre is the host's own way
// there, but for its own branch, where it is less by twice what the two share of the way. That may be less
// than the branch's link: where no host of the sample hangs in between, it is several links in a row.
std::vector<std::size_t> ClusterDivision::assignment() const {
    std::vector<std::size_t> part = part_;
    std::vector<std::vector<std::vector<double>>> rests(part_.size());
    for (const PairSample& sample : others_) {
        if (in_sample_[sample.a]) continue;
        auto& of_host = rests[sample.a];
        of_host.resize(branches_.size());
        of_host[part_[sample.b]].push_back(sample.rtt_us - from_centre_[sample.b]);
    }
    std::vector<std::pair<HostNumber, Nearest>> nearest;
    std::vector<double> scatters;
    for (std::size_t i = sample_; i < hosts_.size(); ++i) {
        part[hosts_[i]] = branches_.size();
        if (const std::optional<Nearest> found = nearest_of(rests[hosts_[i]], scatters))
            nearest.emplace_back(hosts_[i], *found);
    }
    const double noise = sure_deviations * deviation_of(std::move(scatters));
    for (const auto& [host, found] : nearest)
        if (found.nearer_us > std::min(noise, branches_[found.branch].link_us)) part[host] = found.branch;
    return part;
}

// `scatters`: gets what the round trips to the other branches stray by.
std::optional<ClusterDivision::Nearest> ClusterDivision::nearest_of(
    const std::vector<std::vector<double>>& rests, std::vector<double>& scatters) const {
    std::vector<double> least, all;
    for (const std::vector<double>& of_branch : rests) {
        least.push_back(of_branch.empty() ? std::numeric_limits<double>::infinity()
                                          : std::ranges::min(of_branch));
        all.insert(all.end(), of_branch.begin(), of_branch.end());
    }
    if (all.size() < branches_.size()) return std::nullopt;
    const auto own = static_cast<std::size_t>(std::ranges::min_element(least) - least.begin());
    const double usual = branches_.size() > 2 ? median(all) : std::ranges::max(all);
    for (std::size_t b = 0; b < rests.size(); ++b)
        for (const double rest : rests[b])
            if (b != own) scatters.push_back(std::abs(rest - usual));
    return Nearest{own, usual - least[own]};
}

std::vector<std::vector<HostNumber>> ClusterDivision::parts() const {
    if (branches_.size() < 2) return {hosts_};
    const std::vector<std::size_t> part = assignment();
    std::vector<std::vector<HostNumber>> result(branches_.size() + 1);
    for (const HostNumber host : hosts_)
        result[part[host]].push_back(host);
    std::erase_if(result, [](const auto& hosts) { return hosts.empty(); });
    for (std::vector<HostNumber>& hosts : result)
        std::ranges::sort(hosts);
    return result;
}

std::vector<PairSample> ClusterDivision::between_parts() const {
    const std::vector<std::size_t> part = assignment();
    std::vector<PairSample> between;
    for (const PairSample& sample : tournament_)
        if (part[sample.a] != part[sample.b]) between.push_back(sample);
    std::vector<std::size_t> left(branches_.size() + 1, most_of_part);
    std::vector<bool> chosen(in_sample_.size(), false);
    for (std::size_t i = sample_; i < hosts_.size(); ++i)
        if (std::size_t& more = left[part[hosts_[i]]]; more > 0) {
            chosen[hosts_[i]] = true;
            --more;
        }
    const double excess = excess_of_few();
    for (PairSample sample : others_) {
        if (!chosen[sample.a] || part[sample.a] == part[sample.b]) continue;
        sample.rtt_us -= excess;
        between.push_back(sample);
    }
    return between;
}

}  // namespace trellis::plugins::infer
