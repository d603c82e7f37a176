#include "plugins/infer/survey/tree_search.hpp"

#include "plugins/infer/survey/branch_split.hpp"
#include "plugins/infer/survey/robust_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr int most_search_rounds = 100;
constexpr int most_fit_rounds = 30;
constexpr int leg_rounds = 30;
// Hosts are likelier where others are: one alone counts as this many.
constexpr double lone_host = 0.1;
constexpr std::size_t few_hosts = 40;
constexpr double outlier = 4;        // deviations
constexpr double much_misfit = 2.5;  // times what noise makes
constexpr double ln_two = 0.693;
constexpr double noisy_factor = 6;
constexpr double noisy_least_us = 2;
constexpr double detour = 1.2;  // round trips through another host that one is not longer than

class Search {
  public:
    Search(const PairTable& table, const SearchOptions& options)
        : table_(table),
          n_(table.hosts()),
          known_sigma_(options.sigma_us),
          doubt_(-std::log(1 - options.confidence)),
          tree_(SwitchTree::star(n_)),
          leg_(n_, 0),
          residual_(n_ * n_, 0) {
        for (Node a = 0; a < n_; ++a)
            leg_[a] = first_leg(a);
        least_sigma_ = noise_of_sets();
        fit();
    }

    void run() {
        refine();
        if (!known_sigma_ && n_ <= few_hosts && sigma_ > 2 * least_sigma_) try_boldly();
        while (merge_weakest([this](Node s, Node t) { return evidence_in_misfit(s, t); })) {
        }
        const std::vector<Node> none = meshes();
        while (merge_weakest([&](Node s, Node t) { return evidence_within(s, t, none); })) {
        }
    }
    // Switches between whose branches the means differ from any tree's by much more than noise.
    [[nodiscard]] std::vector<Node> meshes() const {
        std::vector<Node> found;
        for (const Node node : tree_.switches()) {
            const Misfit misfit = misfit_of(tree_.branches(node), std::nullopt);
            if (misfit.freedom > 0 && misfit.much()) found.push_back(node);
        }
        return found;
    }

    [[nodiscard]] SwitchTree tree() const {
        SwitchTree result = tree_;
        for (Node host = 0; host < n_; ++host)
            result.set_length(host, result.switch_of(host), std::max(0.0, leg_[host]));
        return result;
    }
    [[nodiscard]] double sigma() const { return sigma_; }

    // How likely the host hangs where it does, if it hangs on one of these switches.
    [[nodiscard]] double confidence_of(Node host) const {
        const std::vector<double> costs = costs_of_places(host);
        double others = 0;
        for (const double cost : costs)
            others += std::exp(std::min(0.0, (costs[at_[host]] - cost) / (2 * sigma_ * sigma_)));
        return 1 / others;
    }
    [[nodiscard]] std::vector<LinkFinding> findings() const {
        std::vector<LinkFinding> found;
        for (const auto& [s, t] : links())
            found.push_back({s, t, evidence(s, t), weigh_link(s, t).standard_error, hosts_beyond(s, t)});
        return found;
    }
    // Splits that chance offers less often than not.
    [[nodiscard]] std::vector<LinkFinding> doubtful() const {
        std::vector<LinkFinding> found;
        const std::vector<Node> none = meshes();
        for (const Node node : tree_.switches()) {
            if (std::ranges::find(none, node) != none.end()) continue;
            const std::vector<std::vector<Node>> branches = tree_.branches(node);
            BranchMeans means = means_of(branches);
            means.centre();
            const std::optional<Split> split = best_split(means, sigma_);
            if (!split || split->evidence() <= ln_two) continue;
            found.push_back(
                {node, node, split->evidence(), split->standard_error, smaller_part(branches, *split)});
        }
        return found;
    }

  private:
    [[nodiscard]] std::vector<Node> hosts_beyond(Node s, Node t) const {
        const auto& edges = tree_.edges(s);
        const auto place = std::ranges::find(edges, t, &TreeEdge::to) - edges.begin();
        return tree_.branches(s)[static_cast<std::size_t>(place)];
    }
    static std::vector<Node> smaller_part(const std::vector<std::vector<Node>>& branches,
                                          const Split& split) {
        std::array<std::vector<Node>, 2> parts;
        for (std::size_t b = 0; b < branches.size(); ++b) {
            std::vector<Node>& part = parts[split.second[b] ? 1 : 0];
            part.insert(part.end(), branches[b].begin(), branches[b].end());
        }
        return parts[parts[1].size() < parts[0].size() ? 1 : 0];
    }

    void refine() {
        for (int round = 0; round < most_search_rounds; ++round) {
            bool changed = grow();
            if (changed) fit();
            if (prune()) changed = true;
            if (relocate()) changed = true;
            if (!changed) break;
        }
    }

    // Few pairs do not tell structure from noise while most of the structure is missing. So once more, as if
    // there were only the noise of the sets: first all links that this allows, then those away that were not
    // worth it.
    void try_boldly() {
        const Search before = *this;
        for (int round = 0; round < most_search_rounds; ++round) {
            sigma_ = least_sigma_;
            if (!grow()) break;
            fit();
        }
        prune();
        refine();
        if (cost() >= before.cost()) restore(before);
    }
    void restore(const Search& before) {
        tree_ = before.tree_;
        fit();
    }
    // ln of the likelihood of what was measured, negative, and of the choice of links.
    [[nodiscard]] double cost() const {
        double squares = 8 * least_sigma_ * least_sigma_, pairs = 8;
        for (Node a = 0; a < n_; ++a)
            for (Node b = a + 1; b < n_; ++b)
                if (table_.measured(a, b)) {
                    squares += residual_[a * n_ + b] * residual_[a * n_ + b];
                    ++pairs;
                }
        double links_cost = 0;
        for (const auto& [s, t] : links())
            links_cost += doubt_ + weigh_link(s, t).price;
        return pairs / 2 * std::log(squares) + links_cost;
    }

    // Half of the least round trip; two hosts alone have nothing better.
    [[nodiscard]] double first_leg(Node host) const {
        double least = std::numeric_limits<double>::infinity();
        for (Node other = 0; other < n_; ++other)
            if (table_.measured(host, other)) least = std::min(least, table_.rtt(host, other));
        return std::isinf(least) ? 0 : least / 2;
    }

    // What the minima of the sets alone tell of the noise.
    double noise_of_sets() const {
        std::vector<double> spreads, rtts;
        for (Node a = 0; a < n_; ++a)
            for (Node b = a + 1; b < n_; ++b)
                if (table_.measured(a, b)) {
                    spreads.push_back(table_.spread(a, b));
                    rtts.push_back(table_.rtt(a, b));
                }
        return median(spreads) / 3 + 1e-2 + 1e-7 * median(rtts);
    }

    // Legs, link lengths, residuals and sigma for the tree as it stands.
    void fit() {
        double moved = std::numeric_limits<double>::infinity();
        for (int round = 0; round < most_fit_rounds && moved > least_sigma_ / 10; ++round) {
            measure_switches();
            fit_legs();
            compute_residuals();
            moved = fit_links();
        }
        measure_switches();
        fit_legs();
        compute_residuals();
        estimate_sigma();
    }

    void measure_switches() {
        switches_ = tree_.switches();
        place_.assign(tree_.nodes(), 0);
        for (std::size_t s = 0; s < switches_.size(); ++s)
            place_[switches_[s]] = s;
        between_.assign(switches_.size() * switches_.size(), 0);
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            const std::vector<double> far = switch_distances(switches_[s]);
            for (std::size_t t = 0; t < switches_.size(); ++t)
                between_[s * switches_.size() + t] = far[switches_[t]];
        }
        at_.resize(n_);
        for (Node host = 0; host < n_; ++host)
            at_[host] = place_[tree_.switch_of(host)];
    }
    // The links of hosts have no length in tree_: it is in leg_.
    [[nodiscard]] std::vector<double> switch_distances(Node from) const { return tree_.distances(from); }
    [[nodiscard]] double between(std::size_t s, std::size_t t) const {
        return between_[s * switches_.size() + t];
    }

    void fit_legs() {
        std::vector<double> rest(n_, 0), count(n_, 0);
        for (Node a = 0; a < n_; ++a)
            for (Node b = 0; b < n_; ++b)
                if (table_.measured(a, b)) {
                    rest[a] += table_.rtt(a, b) - between(at_[a], at_[b]);
                    ++count[a];
                }
        for (int round = 0; round < leg_rounds; ++round) {
            double moved = 0;
            for (Node a = 0; a < n_; ++a) {
                if (count[a] == 0) continue;
                double others = 0;
                for (Node b = 0; b < n_; ++b)
                    if (table_.measured(a, b)) others += leg_[b];
                const double leg = (rest[a] - others) / count[a];
                moved = std::max(moved, std::abs(leg - leg_[a]));
                leg_[a] = leg;
            }
            if (moved < 1e-6) break;
        }
    }

    void compute_residuals() {
        for (Node a = 0; a < n_; ++a)
            for (Node b = 0; b < n_; ++b)
                residual_[a * n_ + b] = table_.measured(a, b)
                                            ? table_.rtt(a, b) - leg_[a] - leg_[b] - between(at_[a], at_[b])
                                            : 0;
    }

    // Returns by how much a length changed at most.
    double fit_links() {
        double moved = 0;
        for (const auto& [s, t] : links()) {
            const double before = tree_.length(s, t);
            const double after = std::max(0.0, before + weigh_link(s, t).length);
            moved = std::max(moved, std::abs(after - before));
            tree_.set_length(s, t, after);
        }
        return moved;
    }

    void estimate_sigma() {
        if (known_sigma_) {
            sigma_ = *known_sigma_;
            return;
        }
        std::vector<double> sizes;
        for (Node a = 0; a < n_; ++a)
            for (Node b = a + 1; b < n_; ++b)
                if (table_.measured(a, b)) sizes.push_back(std::abs(residual_[a * n_ + b]));
        const double pairs = static_cast<double>(sizes.size());
        const double parameters = static_cast<double>(n_ + switches_.size() - 1);
        const double freedom = std::max(pairs - parameters, 0.0);
        const double robust = deviation_of(std::move(sizes));
        // As if eight more pairs had been seen whose noise is that of the sets.
        sigma_ = std::sqrt((pairs * robust * robust + 8 * least_sigma_ * least_sigma_) / (freedom + 8));
        sigma_ = std::max(sigma_, least_sigma_);
    }

    [[nodiscard]] std::vector<std::pair<Node, Node>> links() const {
        std::vector<std::pair<Node, Node>> result;
        for (const Node s : tree_.switches())
            for (const TreeEdge& edge : tree_.edges(s))
                if (!tree_.is_host(edge.to) && edge.to > s) result.emplace_back(s, edge.to);
        return result;
    }

    // `limit`: residuals count as no greater than this.
    [[nodiscard]] BranchMeans means_of(const std::vector<std::vector<Node>>& branches,
                                       double limit = std::numeric_limits<double>::infinity()) const {
        BranchMeans means{{}, std::vector<double>(branches.size() * branches.size(), 0)};
        for (const std::vector<Node>& branch : branches)
            means.hosts.push_back(static_cast<double>(branch.size()));
        for (std::size_t b = 0; b < branches.size(); ++b)
            for (std::size_t c = b + 1; c < branches.size(); ++c) {
                double sum = 0, measured = 0;
                for (const Node i : branches[b])
                    for (const Node j : branches[c]) {
                        sum += std::clamp(residual_[i * n_ + j], -limit, limit);
                        measured += table_.measured(i, j) ? 1 : 0;
                    }
                means.at(b, c) = means.at(c, b) = sum / std::max(measured, 1.0);
            }
        return means;
    }

    // A link that is added adds the same to all pairs between two branches of any switch, so that the
    // residuals still serve the parts.
    bool grow() {
        bool any = false;
        std::vector<Node> open = tree_.switches();
        while (!open.empty()) {
            const Node node = open.back();
            open.pop_back();
            BranchMeans means = means_of(tree_.branches(node));
            means.centre();
            const std::optional<Split> split = best_split(means, sigma_);
            if (!split || split->evidence() <= doubt_) continue;
            const Node added = tree_.split(node, split->second);
            tree_.set_length(node, added, split->length);
            open.insert(open.end(), {node, added});
            any = true;
        }
        return any;
    }

    // What the link is worth, with its two switches taken as one; `length` is what it should be longer.
    [[nodiscard]] Split weigh_link(Node s, Node t) const {
        auto [branches, second] = branches_of_both(s, t);
        return weigh_split(means_of(branches), std::move(second), sigma_);
    }
    // The branches of two neighbouring switches taken as one, and which of them are the second one's.
    [[nodiscard]] std::pair<std::vector<std::vector<Node>>, std::vector<bool>> branches_of_both(
        Node s, Node t) const {
        std::pair<std::vector<std::vector<Node>>, std::vector<bool>> both;
        for (const Node end : {s, t}) {
            std::vector<std::vector<Node>> own = tree_.branches(end);
            for (std::size_t b = 0; b < own.size(); ++b) {
                if (tree_.edges(end)[b].to == (end == s ? t : s)) continue;
                both.first.push_back(std::move(own[b]));
                both.second.push_back(end == t);
            }
        }
        return both;
    }
    [[nodiscard]] double evidence(Node s, Node t) const {
        const Split split = weigh_link(s, t);
        return split.gain(tree_.length(s, t) + split.length) - split.price;
    }

    bool prune() {
        bool any = false;
        while (merge_weakest([this](Node s, Node t) { return evidence(s, t); }))
            any = true;
        return any;
    }
    // Makes one switch of the two whose link has the least evidence, if that is not enough.
    template <class Evidence>
    bool merge_weakest(Evidence of) {
        std::pair<Node, Node> weakest;
        double least = doubt_;
        for (const auto& [s, t] : links()) {
            const double found = of(s, t);
            if (found > least) continue;
            least = found;
            weakest = {s, t};
        }
        if (weakest.first == weakest.second) return false;
        tree_.merge(weakest.first, weakest.second);
        fit();
        return true;
    }

    // How far the means between branches are from those of one point (or of two with a link between): the sum
    // of squares in units of what noise makes, and how many squares are free.
    struct Misfit {
        double squares = 0, freedom = 0;
        [[nodiscard]] bool much() const {
            return squares > much_misfit * freedom && squares > freedom + 5 * std::sqrt(2 * freedom);
        }
    };
    // `second`: the sides of the link, whose length is not to count.
    [[nodiscard]] Misfit misfit_of(const std::vector<std::vector<Node>>& branches,
                                   const std::optional<std::vector<bool>>& second) const {
        const double p = static_cast<double>(branches.size());
        BranchMeans means = means_of(branches, outlier * sigma_);
        if (second) {
            const double length = weigh_split(means, *second, sigma_).length;
            for (std::size_t b = 0; b < branches.size(); ++b)
                for (std::size_t c = 0; c < branches.size(); ++c)
                    if ((*second)[b] != (*second)[c]) means.at(b, c) -= length;
        }
        means.centre();
        Misfit misfit{0, p * (p - 1) / 2 - p - (second ? 1 : 0)};
        for (std::size_t b = 0; b < branches.size(); ++b)
            for (std::size_t c = b + 1; c < branches.size(); ++c)
                misfit.squares +=
                    means.hosts[b] * means.hosts[c] * means.at(b, c) * means.at(b, c) / (sigma_ * sigma_);
        return misfit;
    }
    [[nodiscard]] bool carries_hosts(Node node) const {
        return std::ranges::any_of(tree_.edges(node),
                                   [&](const TreeEdge& edge) { return tree_.is_host(edge.to); });
    }
    // Where the means fit no tree well, what they differ by is the noise that a link has to stand out from.
    // Links of switches that carry hosts are left as they are.
    [[nodiscard]] double evidence_in_misfit(Node s, Node t) const {
        const double enough = 2 * doubt_;
        if (carries_hosts(s) || carries_hosts(t)) return enough;
        auto [branches, second] = branches_of_both(s, t);
        const Misfit misfit = misfit_of(branches, second);
        if (!misfit.much()) return enough;
        const Split split = weigh_link(s, t);
        const double gain = split.gain(tree_.length(s, t) + split.length);
        return (misfit.freedom + 3) / 2 * std::log1p(2 * gain / (misfit.squares + 3)) - split.price;
    }
    // Routes that differ from host to host make hosts of one switch look like those of two. So where both
    // switches carry hosts, all that lies beyond a part that is no tree counts as one host.
    [[nodiscard]] double evidence_within(Node s, Node t, const std::vector<Node>& meshes) const {
        if (meshes.empty() || !carries_hosts(s) || !carries_hosts(t)) return 2 * doubt_;
        auto [branches, second] = branches_of_both(s, t);
        BranchMeans means = means_of(branches);
        for (double& hosts : means.hosts)
            hosts = 1;
        const Split split = weigh_split(means, std::move(second), sigma_);
        return split.gain(tree_.length(s, t) + split.length) - split.price;
    }

    // Moves each host to the switch that leaves least of its round trips unexplained.
    bool relocate() {
        bool any = false;
        for (Node host = 0; host < n_; ++host) {
            const std::size_t best = best_place(host);
            if (best == at_[host] || tree_.edges(tree_.switch_of(host)).size() < 3) continue;
            tree_.move(host, tree_.switch_of(host), switches_[best]);
            measure_switches();
            any = true;
        }
        if (any) fit();
        return any;
    }
    [[nodiscard]] std::size_t best_place(Node host) const {
        const std::vector<double> costs = costs_of_places(host);
        std::size_t best = at_[host];
        double least = costs[best] - 0.1 * sigma_ * sigma_;
        for (std::size_t place = 0; place < costs.size(); ++place) {
            if (costs[place] >= least) continue;
            least = costs[place];
            best = place;
        }
        return best;
    }
    // Of each switch: the squares of what the host's round trips would leave unexplained there, less what its
    // company speaks for it, times sigma^2; equal if nothing is measured.
    [[nodiscard]] std::vector<double> costs_of_places(Node host) const {
        const std::size_t s = switches_.size();
        std::vector<double> count(s, 0), sum(s, 0);
        for (Node other = 0; other < n_; ++other)
            if (table_.measured(host, other)) {
                ++count[at_[other]];
                sum[at_[other]] += table_.rtt(host, other) - leg_[other];
            }
        std::vector<double> company(s, lone_host);
        for (Node other = 0; other < n_; ++other)
            if (other != host) ++company[at_[other]];
        const double all = std::accumulate(count.begin(), count.end(), 0.0);
        std::vector<double> costs(s, 0);
        for (std::size_t place = 0; place < s && all > 0; ++place) {
            double squares = 0, rest = 0;
            for (std::size_t g = 0; g < s; ++g) {
                const double d = between(place, g);
                squares += d * (count[g] * d - 2 * sum[g]);
                rest += sum[g] - count[g] * d;
            }
            costs[place] = squares - rest * rest / all - 2 * sigma_ * sigma_ * std::log(company[place]);
        }
        return costs;
    }

    const PairTable& table_;
    std::size_t n_;
    std::optional<double> known_sigma_;
    double doubt_;  // the evidence that a link needs
    SwitchTree tree_;
    std::vector<double> leg_;       // of each host, in round trips
    std::vector<double> residual_;  // of each pair; 0 if not measured
    std::vector<Node> switches_;
    std::vector<std::size_t> place_;  // of a switch in switches_
    std::vector<std::size_t> at_;     // of each host's switch in switches_
    std::vector<double> between_;     // of two switches, by their places
    double sigma_ = 0, least_sigma_ = 0;
};

// The median spread of each host's pairs: how steady its own round trips are.
std::vector<double> spreads_of_hosts(const PairTable& table) {
    std::vector<double> result;
    for (Node host = 0; host < table.hosts(); ++host) {
        std::vector<double> spreads;
        for (Node other = 0; other < table.hosts(); ++other)
            if (other != host && table.measured(host, other)) spreads.push_back(table.spread(host, other));
        result.push_back(median(std::move(spreads)));
    }
    return result;
}

std::vector<bool> find_noisy(const PairTable& table) {
    const std::vector<double> spreads = spreads_of_hosts(table);
    const double usual = median(spreads);
    std::vector<bool> noisy(spreads.size());
    std::transform(spreads.begin(), spreads.end(), noisy.begin(),
                   [&](double spread) { return spread > noisy_factor * usual && spread > noisy_least_us; });
    return noisy;
}

PairTable part_of(const PairTable& table, const std::vector<Node>& hosts) {
    PairTable part(hosts.size());
    for (std::size_t a = 0; a < hosts.size(); ++a)
        for (std::size_t b = a + 1; b < hosts.size(); ++b)
            if (table.measured(hosts[a], hosts[b]))
                part.add(a, b, table.rtt(hosts[a], hosts[b]), table.spread(hosts[a], hosts[b]));
    return part;
}

// By host: the one with the least round trip to it; itself if there is none.
std::vector<Node> nearest_hosts(const PairTable& table) {
    std::vector<Node> nearest(table.hosts());
    for (Node host = 0; host < table.hosts(); ++host) {
        nearest[host] = host;
        for (Node other = 0; other < table.hosts(); ++other)
            if (table.measured(host, other) &&
                (nearest[host] == host || table.rtt(host, other) < table.rtt(host, nearest[host])))
                nearest[host] = other;
    }
    return nearest;
}

// The table without the pairs that take much longer than the way through a host near to either: no tree has
// such, and one of them alone bends it.
PairTable without_detours(const PairTable& table) {
    const std::vector<Node> nearest = nearest_hosts(table);
    const auto longer_than_by = [&](Node a, Node b, Node middle) {
        return table.measured(a, middle) && table.measured(middle, b) &&
               table.rtt(a, b) > detour * (table.rtt(a, middle) + table.rtt(middle, b)) + noisy_least_us;
    };
    PairTable kept(table.hosts());
    for (Node a = 0; a < table.hosts(); ++a)
        for (Node b = a + 1; b < table.hosts(); ++b)
            if (table.measured(a, b) && !longer_than_by(a, b, nearest[a]) &&
                !longer_than_by(a, b, nearest[b]))
                kept.add(a, b, table.rtt(a, b), table.spread(a, b));
    return kept;
}

// Noise only ever adds to a round trip: of the noisy host's round trips to the hosts of one switch the least
// counts, and the switch from which these agree best is its place.
void attach(SwitchTree& tree, const PairTable& table, Node host) {
    std::map<Node, double> least;
    for (Node other = 0; other < table.hosts(); ++other) {
        if (other == host || !table.measured(host, other) || tree.edges(other).empty()) continue;
        const double rest = table.rtt(host, other) - tree.edges(other).front().rtt_us;
        const auto [at, first] = least.emplace(tree.switch_of(other), rest);
        if (!first) at->second = std::min(at->second, rest);
    }
    Node best = tree.switches().front();
    double best_cost = std::numeric_limits<double>::infinity(), best_leg = 0;
    for (const Node place : tree.switches()) {
        const std::vector<double> far = tree.distances(place);
        std::vector<double> legs;
        legs.reserve(least.size());
        for (const auto& [at, rest] : least)
            legs.push_back(rest - far[at]);
        const double leg = median(legs);
        double cost = 0;
        for (const double one : legs)
            cost += std::abs(one - leg);
        if (cost >= best_cost) continue;
        best = place;
        best_cost = cost;
        best_leg = std::max(0.0, leg);
    }
    tree.link(host, best, best_leg);
}

}  // namespace

SolvedTree solve_tree(const PairTable& table, const SearchOptions& options) {
    SolvedTree solved{SwitchTree(table.hosts()), 0, find_noisy(table), {}, {}, {}, {}};
    std::vector<Node> steady, noisy;
    for (Node host = 0; host < table.hosts(); ++host)
        (solved.noisy[host] ? noisy : steady).push_back(host);
    const PairTable part = without_detours(part_of(table, steady));
    Search search(part, options);
    search.run();
    const std::vector<Node> here = solved.tree.graft(search.tree(), steady);
    solved.sigma_us = search.sigma();
    solved.links = search.findings();
    solved.doubtful = search.doubtful();
    for (std::vector<LinkFinding>* findings : {&solved.links, &solved.doubtful})
        for (LinkFinding& one : *findings) {
            one.a = here[one.a];
            one.b = here[one.b];
            for (Node& host : one.beyond)
                host = here[host];
        }
    for (const Node mesh : search.meshes())
        solved.meshes.push_back(here[mesh]);
    solved.host_confidence.assign(table.hosts(), 0);
    for (Node host = 0; host < steady.size(); ++host)
        solved.host_confidence[steady[host]] = search.confidence_of(host);
    for (const Node host : noisy)
        attach(solved.tree, table, host);
    return solved;
}

}  // namespace trellis::plugins::infer
