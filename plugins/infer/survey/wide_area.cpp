#include "plugins/infer/survey/wide_area.hpp"

#include "plugins/infer/survey/cluster_distances.hpp"
#include "plugins/infer/survey/way_out.hpp"
#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

class ClusterJoining {
  public:
    ClusterJoining(std::span<const SolvedCluster> clusters, std::span<const PairSample> samples,
                   std::size_t host_count, double confidence)
        : clusters_(clusters),
          samples_(samples),
          wide_{SwitchTree(host_count), 0, {}, {}, {}},
          cluster_of_(host_count),
          options_{confidence, {}} {
        for (std::size_t c = 0; c < clusters.size(); ++c)
            for (const HostNumber host : clusters[c].hosts)
                cluster_of_[host] = c;
        std::size_t links = 1;
        for (const SolvedCluster& cluster : clusters)
            links += cluster.solved.tree.links().size();
        confidence_of_link_ = 1 - (1 - confidence) / static_cast<double>(links);
    }

    WideTree run() {
        for (const SolvedCluster& cluster : clusters_)
            take_over(cluster);
        if (clusters_.size() == 1) return std::move(wide_);
        away_.assign(wide_.tree.hosts(), 0);
        for (std::size_t c = 0; c < clusters_.size(); ++c)
            add_way_out(c);
        connect();
        return std::move(wide_);
    }

  private:
    void take_over(const SolvedCluster& cluster) {
        here_.emplace_back();
        if (cluster.hosts.size() == 1) return;
        here_.back() = wide_.tree.graft(cluster.solved.tree, cluster.hosts);
        for (const LinkFinding& link : cluster.solved.links)
            wide_.links.push_back(renamed(link, here_.back()));
        for (const LinkFinding& link : cluster.solved.doubtful)
            wide_.doubtful.push_back(renamed(link, here_.back()));
        for (const Node mesh : cluster.solved.meshes)
            wide_.meshes.push_back(here_.back()[mesh]);
    }

    void add_way_out(std::size_t c) {
        const SolvedCluster& cluster = clusters_[c];
        if (cluster.hosts.size() == 1) {
            way_out_.push_back(cluster.hosts.front());
            return;
        }
        const OutwardMeans outward = outward_means(samples_, cluster);
        if (cluster.hosts.size() == 2 && outward.size() == 2) share_out(cluster.hosts, outward);
        WayOut way = find_way_out(cluster.solved.tree, outward, confidence_of_link_);
        for (Node* end : {&way.a, &way.b})
            *end = here_[c][*end];
        way_out_.push_back(way.on_link() ? put_switch(way) : way.a);
        const std::vector<double> far = wide_.tree.distances(way_out_.back());
        for (const HostNumber host : cluster.hosts)
            away_[host] = far[host];
    }
    // Two hosts alone do not tell which of them is how far from their switch.
    void share_out(const std::vector<HostNumber>& hosts, const OutwardMeans& outward) {
        const HostNumber a = hosts[0], b = hosts[1];
        const Node middle = wide_.tree.switch_of(a);
        const double both = wide_.tree.length(a, middle) + wide_.tree.length(b, middle);
        const double of_a = std::clamp((both + outward.at(0) - outward.at(1)) / 2, 0.0, both);
        wide_.tree.set_length(a, middle, of_a);
        wide_.tree.set_length(b, middle, both - of_a);
    }
    Node put_switch(const WayOut& place) {
        const double length = wide_.tree.length(place.a, place.b);
        const Node added = wide_.tree.split_link(place.a, place.b);
        wide_.tree.set_length(place.a, added, place.from_a);
        wide_.tree.set_length(added, place.b, length - place.from_a);
        const auto known = std::ranges::find_if(wide_.links, [&](const LinkFinding& one) {
            return std::minmax(one.a, one.b) == std::minmax(place.a, place.b);
        });
        if (known == wide_.links.end()) return added;
        LinkFinding other = *known;
        const Node far = known->b;
        known->b = added;
        other.a = added;
        other.b = far;
        wide_.links.push_back(std::move(other));
        return added;
    }

    // A tree of the ways out, as of hosts.
    void connect() {
        const ClusterDistances between = cluster_distances(samples_, cluster_of_, away_, clusters_.size());
        wide_.sigma_us = between.scatter_us;
        if (clusters_.size() == 2) {
            const bool measured = between.mean.measured(0, 1);
            wide_.tree.link(way_out_[0], way_out_[1], measured ? std::max(0.0, between.mean.rtt(0, 1)) : 0);
            return;
        }
        options_.sigma_us = between.error_us;
        const SolvedTree solved = solve_tree(between.mean, options_);
        const std::vector<Node> here = wide_.tree.graft(solved.tree, way_out_);
        for (const Node mesh : solved.meshes)
            wide_.meshes.push_back(here[mesh]);
        for (const LinkFinding& link : solved.links)
            wide_.links.push_back(of_all_hosts(link, here));
        for (const LinkFinding& link : solved.doubtful)
            wide_.doubtful.push_back(of_all_hosts(link, here));
        for (std::size_t c = 0; c < clusters_.size(); ++c)
            shorten(way_out_[c], between.error_us / std::sqrt(between.mean.weight(c)));
    }
    // Of a finding in the tree of the ways out.
    [[nodiscard]] LinkFinding of_all_hosts(const LinkFinding& finding, const std::vector<Node>& here) const {
        LinkFinding one{here[finding.a], here[finding.b], finding.evidence, finding.standard_error, {}};
        for (const Node c : finding.beyond)
            one.beyond.insert(one.beyond.end(), clusters_[c].hosts.begin(), clusters_[c].hosts.end());
        return one;
    }
    // A way out without any length is the router itself.
    void shorten(Node way_out, double error_us) {
        if (wide_.tree.is_host(way_out)) return;
        const TreeEdge last = wide_.tree.edges(way_out).back();
        if (last.rtt_us > 4 * error_us) return;
        wide_.tree.merge(way_out, last.to);
        for (auto* findings : {&wide_.links, &wide_.doubtful})
            for (LinkFinding& one : *findings) {
                if (one.a == last.to) one.a = way_out;
                if (one.b == last.to) one.b = way_out;
            }
        std::ranges::replace(way_out_, last.to, way_out);
        std::ranges::replace(wide_.meshes, last.to, way_out);
    }

    std::span<const SolvedCluster> clusters_;
    std::span<const PairSample> samples_;
    WideTree wide_;
    std::vector<std::size_t> cluster_of_;  // by host number
    std::vector<std::vector<Node>> here_;  // by cluster: its nodes in the whole tree
    std::vector<Node> way_out_;            // by cluster: a switch of it, or its only host
    std::vector<double> away_;             // by host number: round trip to its way out
    SearchOptions options_;
    double confidence_of_link_ = 0;  // if all links of all clusters together are to be that sure
};

// Still without a tree.
SolvedCluster hosts_of(std::span<const SolvedCluster> clusters) {
    SolvedCluster one{{}, {SwitchTree(0), 0, {}, {}, {}, {}, {}}};
    std::vector<double> sigmas;
    for (const SolvedCluster& cluster : clusters) {
        const std::size_t count = cluster.hosts.size();
        one.hosts.insert(one.hosts.end(), cluster.hosts.begin(), cluster.hosts.end());
        for (std::size_t i = 0; i < count; ++i) {
            one.solved.noisy.push_back(count > 1 && cluster.solved.noisy[i]);
            one.solved.host_confidence.push_back(count > 1 ? cluster.solved.host_confidence[i] : 1);
        }
        if (count > 2) sigmas.push_back(cluster.solved.sigma_us);
    }
    one.solved.sigma_us = median(std::move(sigmas));
    return one;
}

}  // namespace

WideTree join_clusters(std::span<const SolvedCluster> clusters, std::span<const PairSample> samples,
                       std::size_t host_count, double confidence) {
    return ClusterJoining(clusters, samples, host_count, confidence).run();
}

SolvedCluster as_one_cluster(std::span<const SolvedCluster> clusters, const WideTree& joined) {
    SolvedCluster one = hosts_of(clusters);
    std::vector<Node> numbers(joined.tree.hosts(), 0);
    for (std::size_t i = 0; i < one.hosts.size(); ++i)
        numbers[one.hosts[i]] = static_cast<Node>(i);
    one.solved.tree = SwitchTree(one.hosts.size());
    const std::vector<Node> here = one.solved.tree.graft(joined.tree, numbers);
    for (const LinkFinding& link : joined.links)
        one.solved.links.push_back(renamed(link, here));
    for (const LinkFinding& link : joined.doubtful)
        one.solved.doubtful.push_back(renamed(link, here));
    for (const Node mesh : joined.meshes)
        one.solved.meshes.push_back(here[mesh]);
    return one;
}

}  // namespace trellis::plugins::infer
