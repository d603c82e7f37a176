#include "tests/sim/infer_score.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trellis::sim {
namespace {

using Names = std::vector<std::string>;

class Scoring {
  public:
    Scoring(const NoisyNetwork& network, const Topology& inferred)
        : network_(network), inferred_(inferred), clusters_(network.profile.size()) {
        const std::set<std::string> found(inferred.hosts.begin(), inferred.hosts.end());
        for (TopologyNode host = 0; host < network.truth.hosts.size(); ++host) {
            const std::string& name = network.truth.hosts[host];
            if (!found.contains(name)) continue;
            present_.push_back(name);
            number_.push_back(host);
            clusters_[network.cluster[host]].push_back(name);
            if (std::ranges::find(network.throttled, host) == network.throttled.end())
                others_.push_back(name);
        }
    }

    InferScore score() {
        InferScore score;
        score.missing = network_.truth.hosts.size() - present_.size();
        const bool complete = score.missing == 0;
        score.exact = complete && same_tree(present_);
        score.others_exact =
            others_.size() + network_.throttled.size() >= network_.truth.hosts.size() && same_tree(others_);
        score.exact_inside =
            complete && std::ranges::all_of(clusters_, [this](const Names& each) { return same_tree(each); });
        score.apart = complete && apart();
        score.joined_rightly = score.apart && same_tree(one_of_each_cluster());
        score.says_mesh = !inferred_.meshes.empty();
        count_leaves(score);
        return score;
    }

    void ask(InferScore& score, std::size_t questions, std::uint64_t seed) const {
        if (present_.size() < 2) return;
        const Topology found = project(inferred_, present_).value();
        const TopologyQuery truth(network_.truth), query(found);
        std::mt19937_64 random(seed);
        for (std::size_t i = 0; i < questions; ++i) {
            const auto [a, b] = pair(random);
            const auto [c, d] = pair(random);
            const bool share = share_in_truth(truth, number_[a], number_[b], number_[c], number_[d]);
            const SharedLink answer = query.shared_link_answer(a, b, c, d);
            ++(share ? score.sharing : score.not_sharing);
            if (answer == SharedLink::unknown)
                ++score.unknown;
            else if ((answer == SharedLink::yes) != share)
                ++(share ? score.false_negatives : score.false_positives);
        }
    }

  private:
    [[nodiscard]] bool same_tree(const Names& hosts) const {
        if (hosts.size() < 3) return true;
        const auto truth = project(network_.truth, hosts), found = project(inferred_, hosts);
        const auto comparison = compare_topologies(*truth, *found, {0, 1});
        return comparison && comparison->robinson_foulds() == 0 && comparison->same_groups;
    }

    [[nodiscard]] Names one_of_each_cluster() const {
        Names names;
        for (const Names& cluster : clusters_)
            names.push_back(cluster.front());
        return names;
    }

    // Seen from any host of another cluster, there is a subtree of this one's hosts alone.
    [[nodiscard]] bool apart() const {
        for (std::size_t i = 0; i < clusters_.size() && clusters_.size() > 1; ++i) {
            const auto outside = find_node(inferred_, clusters_[i == 0 ? 1 : 0].front());
            const TopologyQuery query(inferred_, *outside);
            TopologyNode node = *find_node(inferred_, clusters_[i].front());
            while (node != *outside && query.hosts_below(node).size() < clusters_[i].size())
                node = query.parent(node);
            const auto below = query.hosts_below(node);
            const std::set<std::string> own(clusters_[i].begin(), clusters_[i].end());
            const auto is_own = [&](TopologyNode host) { return own.contains(inferred_.name(host)); };
            if (below.size() != own.size() || !std::ranges::all_of(below, is_own)) return false;
        }
        return true;
    }

    [[nodiscard]] static std::set<Names> named_groups(const Topology& topology) {
        std::set<Names> groups;
        for (const auto& group : groups_by_switch(topology)) {
            Names names;
            for (const TopologyNode host : group)
                names.push_back(topology.name(host));
            std::ranges::sort(names);
            groups.insert(std::move(names));
        }
        return groups;
    }
    void count_leaves(InferScore& score) const {
        const auto truth = named_groups(visible_part(network_.truth)), found = named_groups(inferred_);
        score.leaves = truth.size();
        score.exact_leaves = static_cast<std::size_t>(
            std::ranges::count_if(truth, [&](const Names& group) { return found.contains(group); }));
    }

    // Two different hosts, by their place among those that are present.
    [[nodiscard]] std::pair<TopologyNode, TopologyNode> pair(std::mt19937_64& random) const {
        std::uniform_int_distribution<TopologyNode> host(0, static_cast<TopologyNode>(present_.size() - 1));
        const TopologyNode a = host(random);
        TopologyNode b = a;
        while (b == a)
            b = host(random);
        return {a, b};
    }
    [[nodiscard]] bool share_in_truth(const TopologyQuery& truth, TopologyNode a, TopologyNode b,
                                      TopologyNode c, TopologyNode d) const {
        return network_.routes ? network_.routes->share_cable(a, b, c, d) : truth.share_link(a, b, c, d);
    }

    const NoisyNetwork& network_;
    const Topology& inferred_;
    Names present_;                     // in the order of the truth
    std::vector<TopologyNode> number_;  // of each of them in the truth
    std::vector<Names> clusters_;       // the present hosts of each
    Names others_;                      // those without a throttled interface
};

}  // namespace

InferScore score_inference(const NoisyNetwork& network, const Topology& inferred, std::size_t questions,
                           std::uint64_t seed) {
    Scoring scoring(network, inferred);
    InferScore score = scoring.score();
    scoring.ask(score, questions, seed);
    return score;
}

}  // namespace trellis::sim
