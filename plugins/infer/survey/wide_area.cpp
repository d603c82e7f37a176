#include "plugins/infer/survey/wide_area.hpp"

#include "plugins/infer/survey/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
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
    }

    WideTree run() {
        for (const SolvedCluster& cluster : clusters_)
            take_over(cluster);
        if (clusters_.size() == 1) return std::move(wide_);
        away_.assign(wide_.tree.hosts(), 0);
        for (std::size_t c = 0; c < clusters_.size(); ++c)
            find_way_out(c);
        connect();
        return std::move(wide_);
    }

  private:
    void take_over(const SolvedCluster& cluster) {
        here_.emplace_back();
        if (cluster.hosts.size() == 1) return;
        here_.back() = wide_.tree.graft(cluster.solved.tree, cluster.hosts);
        const auto move = [&](const LinkFinding& one) {
            LinkFinding moved = one;
            moved.a = here_.back()[one.a];
            moved.b = here_.back()[one.b];
            for (Node& host : moved.beyond)
                host = here_.back()[host];
            return moved;
        };
        std::ranges::transform(cluster.solved.links, std::back_inserter(wide_.links), move);
        for (const Node mesh : cluster.solved.meshes)
            wide_.meshes.push_back(here_.back()[mesh]);
        std::ranges::transform(cluster.solved.doubtful, std::back_inserter(wide_.doubtful), move);
    }

    // The mean round trip of each of a cluster's representatives to those outside, less the part of the other
    // end, shows how far it is from the way out: the switch from which these fit best.
    void find_way_out(std::size_t c) {
        const SolvedCluster& cluster = clusters_[c];
        if (cluster.hosts.size() == 1) {
            way_out_.push_back(cluster.hosts.front());
            return;
        }
        const std::map<HostNumber, double> outward = outward_means(c);
        if (cluster.hosts.size() == 2 && outward.size() == 2) share_out(outward);
        Node best = here_[c][cluster.solved.tree.switches().front()];
        Fit least = fit_of(best, outward);
        for (const Node inner : cluster.solved.tree.switches()) {
            const Fit fit = fit_of(here_[c][inner], outward);
            if (!fit.better_than(least)) continue;
            least = fit;
            best = here_[c][inner];
        }
        if (const auto middle = middle_of_link(c, outward, least.scatter)) best = put_switch(*middle);
        way_out_.push_back(best);
        const std::vector<double> far = wide_.tree.distances(best);
        for (const HostNumber host : cluster.hosts)
            away_[host] = far[host];
    }
    // Two hosts alone do not tell which of them is how far from their switch.
    void share_out(const std::map<HostNumber, double>& outward) {
        const auto [a, mean_of_a] = *outward.begin();
        const auto [b, mean_of_b] = *outward.rbegin();
        const Node middle = wide_.tree.switch_of(a);
        const double both = wide_.tree.length(a, middle) + wide_.tree.length(b, middle);
        const double of_a = std::clamp((both + mean_of_a - mean_of_b) / 2, 0.0, both);
        wide_.tree.set_length(a, middle, of_a);
        wide_.tree.set_length(b, middle, both - of_a);
    }
    // A place on a link from which the outward means fit so much better than from any switch that a switch
    // must be there.
    struct OnLink {
        Node a, b;
        double from_a;  // round trip
        double cost;
    };
    [[nodiscard]] std::optional<OnLink> middle_of_link(std::size_t c,
                                                       const std::map<HostNumber, double>& outward,
                                                       double least) const {
        std::optional<OnLink> best;
        double links = 0;
        for (const Node inner : clusters_[c].solved.tree.switches())
            for (const TreeEdge& edge : clusters_[c].solved.tree.edges(inner)) {
                if (clusters_[c].solved.tree.is_host(edge.to) || edge.to < inner) continue;
                ++links;
                const OnLink place = best_on_link(here_[c][inner], here_[c][edge.to], edge.rtt_us, outward);
                const bool inside = place.from_a > 0 && place.from_a < edge.rtt_us;
                if (inside && (!best || place.cost < best->cost)) best = place;
            }
        const double freedom = static_cast<double>(outward.size()) - 2;
        if (!best || freedom < 1) return std::nullopt;
        const double evidence =
            freedom / 2 * std::log((least + 1e-6) / (best->cost + 1e-6)) - std::log(links);
        if (evidence <= -std::log(1 - options_.confidence)) return std::nullopt;
        return best;
    }
    // With e = 1 for hosts beyond a and -1 for those beyond b, a host is e x farther away from the place at x
    // from a.
    [[nodiscard]] OnLink best_on_link(Node a, Node b, double length,
                                      const std::map<HostNumber, double>& outward) const {
        const std::vector<double> from_a = wide_.tree.distances(a), from_b = wide_.tree.distances(b);
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
        return {a, b, x, yy - y * y / n - (ee > 0 ? covariance * covariance / ee : 0)};
    }
    Node put_switch(const OnLink& place) {
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
    // A switch beyond which no representative is fits as well as the one before it, but from farther away.
    struct Fit {
        double scatter = 0;
        double far = 0;  // mean
        [[nodiscard]] bool better_than(const Fit& other) const {
            const double alike = 1e-6 * other.scatter + 1e-9;
            if (scatter < other.scatter - alike) return true;
            return scatter <= other.scatter + alike && far < other.far;
        }
    };
    [[nodiscard]] Fit fit_of(Node place, const std::map<HostNumber, double>& outward) const {
        const std::vector<double> far = wide_.tree.distances(place);
        const double count = std::max(1.0, static_cast<double>(outward.size()));
        double sum = 0, squares = 0, all = 0;
        for (const auto& [host, mean] : outward) {
            sum += mean - far[host];
            squares += (mean - far[host]) * (mean - far[host]);
            all += far[host];
        }
        return {squares - sum * sum / count, all / count};
    }
    // By host of the cluster; hosts outside count with what all of the cluster have to them on the average
    // taken off.
    [[nodiscard]] std::map<HostNumber, double> outward_means(std::size_t c) const {
        std::map<HostNumber, std::pair<double, double>> of_outside;  // sum and count
        std::vector<PairSample> own;
        for (PairSample sample : samples_) {
            if (cluster_of_[sample.b] == c) std::swap(sample.a, sample.b);
            if (cluster_of_[sample.a] != c || cluster_of_[sample.b] == c) continue;
            own.push_back(sample);
            of_outside[sample.b].first += sample.rtt_us;
            ++of_outside[sample.b].second;
        }
        std::map<HostNumber, std::vector<double>> of_inside;
        for (const PairSample& sample : own) {
            const auto [sum, count] = of_outside[sample.b];
            of_inside[sample.a].push_back(sample.rtt_us - sum / count);
        }
        std::map<HostNumber, double> result;
        for (auto& [host, rest] : of_inside)
            result[host] = median(std::move(rest));
        return result;
    }

    // Means between the ways out, and a tree of them as of hosts.
    void connect() {
        const std::size_t m = clusters_.size();
        std::vector<std::vector<double>> between(m * m);
        for (const PairSample& sample : samples_) {
            const auto [low, high] = std::minmax(cluster_of_[sample.a], cluster_of_[sample.b]);
            if (low == high) continue;
            between[low * m + high].push_back(sample.rtt_us - away_[sample.a] - away_[sample.b]);
        }
        PairTable means(m);
        std::vector<double> scatters, counts;
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = a + 1; b < m; ++b)
                if (const std::vector<double>& rests = between[a * m + b]; !rests.empty()) {
                    const double middle = median(rests);
                    double sum = 0, count = 0;
                    for (const double rest : rests)
                        scatters.push_back(std::abs(rest - middle));
                    const double limit =
                        4 * 1.4826 *
                            median(std::vector<double>(
                                scatters.end() - static_cast<std::ptrdiff_t>(rests.size()), scatters.end())) +
                        1e-6;
                    for (const double rest : rests)
                        if (std::abs(rest - middle) <= limit) {
                            sum += rest;
                            ++count;
                        }
                    means.add(a, b, sum / count, 0);
                    counts.push_back(count);
                }
        wide_.sigma_us = 1.4826 * median(scatters) + 1e-3;
        if (m == 2) {
            wide_.tree.link(way_out_[0], way_out_[1],
                            means.measured(0, 1) ? std::max(0.0, means.rtt(0, 1)) : 0);
            return;
        }
        options_.sigma_us = wide_.sigma_us / std::sqrt(std::max(1.0, median(counts)));
        const SolvedTree solved = solve_tree(means, options_);
        const std::vector<Node> here = wide_.tree.graft(solved.tree, way_out_);
        for (const Node mesh : solved.meshes)
            wide_.meshes.push_back(here[mesh]);
        for (const auto* findings : {&solved.links, &solved.doubtful})
            for (LinkFinding one : *findings) {
                one.a = here[one.a];
                one.b = here[one.b];
                std::vector<Node> hosts;
                for (const Node c : one.beyond)
                    hosts.insert(hosts.end(), clusters_[c].hosts.begin(), clusters_[c].hosts.end());
                one.beyond = std::move(hosts);
                (findings == &solved.links ? wide_.links : wide_.doubtful).push_back(std::move(one));
            }
        for (std::size_t c = 0; c < m; ++c)
            shorten(way_out_[c]);
    }
    // A way out without any length is the router itself.
    void shorten(Node way_out) {
        if (wide_.tree.is_host(way_out)) return;
        const TreeEdge last = wide_.tree.edges(way_out).back();
        if (last.rtt_us > 4 * *options_.sigma_us) return;
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
};

}  // namespace

std::vector<HostNumber> representatives(const SolvedCluster& cluster, std::size_t most) {
    std::vector<std::vector<HostNumber>> by_switch;
    for (const Node node : cluster.solved.tree.switches()) {
        by_switch.emplace_back();
        for (const TreeEdge& edge : cluster.solved.tree.edges(node))
            if (cluster.solved.tree.is_host(edge.to) && !cluster.solved.noisy[edge.to])
                by_switch.back().push_back(cluster.hosts[edge.to]);
    }
    std::vector<HostNumber> chosen;
    for (std::size_t turn = 0; chosen.size() < most; ++turn) {
        const std::size_t before = chosen.size();
        for (const std::vector<HostNumber>& hosts : by_switch)
            if (turn < hosts.size() && chosen.size() < most) chosen.push_back(hosts[turn]);
        if (chosen.size() == before) break;
    }
    return chosen;
}

WideTree join_clusters(std::span<const SolvedCluster> clusters, std::span<const PairSample> samples,
                       std::size_t host_count, double confidence) {
    return ClusterJoining(clusters, samples, host_count, confidence).run();
}

SolvedCluster as_one_cluster(std::span<const SolvedCluster> clusters, const WideTree& joined) {
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
    std::vector<Node> numbers(joined.tree.hosts(), 0);
    for (std::size_t i = 0; i < one.hosts.size(); ++i)
        numbers[one.hosts[i]] = static_cast<Node>(i);
    one.solved.tree = SwitchTree(one.hosts.size());
    const std::vector<Node> here = one.solved.tree.graft(joined.tree, numbers);
    for (const auto& [from, to] :
         {std::pair(&joined.links, &one.solved.links), std::pair(&joined.doubtful, &one.solved.doubtful)})
        for (LinkFinding finding : *from) {
            finding.a = here[finding.a];
            finding.b = here[finding.b];
            for (Node& host : finding.beyond)
                host = here[host];
            to->push_back(std::move(finding));
        }
    for (const Node mesh : joined.meshes)
        one.solved.meshes.push_back(here[mesh]);
    return one;
}

}  // namespace trellis::plugins::infer
