#include "plugins/infer/tree/tree_search.hpp"

#include "plugins/infer/tree/host_places.hpp"
#include "plugins/infer/tree/mesh.hpp"
#include "plugins/infer/tree/pair_screening.hpp"
#include "plugins/infer/tree/tree_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr int most_search_rounds = 100;
constexpr std::size_t few_hosts = 40;
constexpr double ln_two = 0.693;

class Search {
  public:
    Search(const PairTable& table, const SearchOptions& options)
        : known_sigma_(options.sigma_us.has_value()),
          doubt_(-std::log(1 - options.confidence)),
          fit_(table, options.sigma_us) {}

    void run() {
        refine();
        if (!known_sigma_ && fit_.table().hosts() <= few_hosts && fit_.sigma() > 2 * fit_.least_sigma())
            try_boldly();
        while (merge_weakest([this](Node s, Node t) { return evidence_in_mesh(fit_, s, t); })) {
        }
        while (const auto link = link_in_mesh(fit_))
            merge(link->first, link->second);
        if (find_meshes(fit_).empty()) return;
        while (merge_weakest([this](Node s, Node t) { return evidence_beside_mesh(fit_, s, t); })) {
        }
    }

    [[nodiscard]] const TreeFit& fit() const { return fit_; }

  private:
    void refine() {
        for (int round = 0; round < most_search_rounds; ++round) {
            bool changed = grow();
            if (changed) fit_.fit();
            if (prune()) changed = true;
            if (relocate()) changed = true;
            if (!changed) break;
        }
    }

    // Few pairs do not tell structure from noise while most of the structure is missing. So once more, as if
    // there were only the noise of the sets: first all links that this allows, then those away that were not
    // worth it.
    void try_boldly() {
        const TreeFit before = fit_;
        for (int round = 0; round < most_search_rounds; ++round) {
            fit_.suppose_sigma(fit_.least_sigma());
            if (!grow()) break;
            fit_.fit();
        }
        prune();
        refine();
        if (cost(fit_) < cost(before)) return;
        fit_.replace_tree(before.tree());
        fit_.fit();
    }
    // ln of the likelihood of what was measured, negative, and of the choice of links.
    [[nodiscard]] double cost(const TreeFit& fit) const {
        double squares = 8 * fit.least_sigma() * fit.least_sigma(), pairs = 8;
        for (const double residual : fit.residuals()) {
            squares += residual * residual;
            ++pairs;
        }
        double links_cost = 0;
        for (const auto& [s, t] : fit.tree().links())
            links_cost += doubt_ + fit.weigh_link(s, t).price;
        return pairs / 2 * std::log(squares) + links_cost;
    }

    // A link that is added adds the same to all pairs between two branches of any switch, so that the
    // residuals still serve the parts.
    bool grow() {
        bool any = false;
        std::vector<Node> open = fit_.tree().switches();
        while (!open.empty()) {
            const Node node = open.back();
            open.pop_back();
            BranchMeans means = fit_.means_of(fit_.tree().branches(node));
            means.centre();
            const std::optional<Split> split = best_split(means, fit_.sigma());
            if (!split || split->evidence() <= doubt_) continue;
            open.insert(open.end(), {node, fit_.split(node, *split)});
            any = true;
        }
        return any;
    }

    bool prune() {
        bool any = false;
        while (merge_weakest([this](Node s, Node t) { return fit_.evidence(s, t); }))
            any = true;
        return any;
    }
    // Makes one switch of the two whose link has the least evidence, if that is not enough.
    template <class Evidence>
    bool merge_weakest(Evidence of) {
        std::pair<Node, Node> weakest;
        double least = doubt_;
        for (const auto& [s, t] : fit_.tree().links()) {
            const double found = of(s, t);
            if (found > least) continue;
            least = found;
            weakest = {s, t};
        }
        if (weakest.first == weakest.second) return false;
        merge(weakest.first, weakest.second);
        return true;
    }
    void merge(Node s, Node t) {
        fit_.merge(s, t);
        fit_.fit();
    }

    // Moves each host to the switch that leaves least of its round trips unexplained.
    bool relocate() {
        bool any = false;
        for (Node host = 0; host < fit_.table().hosts(); ++host) {
            const Node own = fit_.tree().switch_of(host), best = HostPlaces(fit_, host).best();
            if (best == own || fit_.tree().edges(own).size() < 3) continue;
            fit_.move(host, best);
            any = true;
        }
        if (any) fit_.fit();
        return any;
    }

    bool known_sigma_;
    double doubt_;  // the evidence that a link needs
    TreeFit fit_;
};

std::vector<LinkFinding> drawn_links(const TreeFit& fit) {
    std::vector<LinkFinding> found;
    for (const auto& [s, t] : fit.tree().links())
        found.push_back(
            {s, t, fit.evidence(s, t), fit.weigh_link(s, t).standard_error, fit.tree().hosts_beyond(s, t)});
    return found;
}

std::vector<Node> smaller_part(const std::vector<std::vector<Node>>& branches, const Split& split) {
    std::array<std::vector<Node>, 2> parts;
    for (std::size_t b = 0; b < branches.size(); ++b) {
        std::vector<Node>& part = parts[split.second[b] ? 1 : 0];
        part.insert(part.end(), branches[b].begin(), branches[b].end());
    }
    return parts[parts[1].size() < parts[0].size() ? 1 : 0];
}

// Splits that chance offers less often than not.
std::vector<LinkFinding> doubtful_links(const TreeFit& fit, const std::vector<Node>& meshes) {
    std::vector<LinkFinding> found;
    for (const Node node : fit.tree().switches()) {
        if (std::ranges::find(meshes, node) != meshes.end()) continue;
        const std::vector<std::vector<Node>> branches = fit.tree().branches(node);
        BranchMeans means = fit.means_of(branches);
        means.centre();
        const std::optional<Split> split = best_split(means, fit.sigma());
        if (!split || split->evidence() <= ln_two) continue;
        found.push_back(
            {node, node, split->evidence(), split->standard_error, smaller_part(branches, *split)});
    }
    return found;
}

}  // namespace

SolvedTree solve_tree(const PairTable& table, const SearchOptions& options) {
    ScreenedPairs screened = screen(table);
    Search search(screened.table, options);
    search.run();
    const TreeFit& fit = search.fit();
    const std::vector<Node> meshes = find_meshes(fit);
    SolvedTree solved{SwitchTree(table.hosts()), fit.sigma(), std::move(screened.noisy), {}, {}, {}, {}};
    const std::vector<Node> here = solved.tree.graft(fit.whole_tree(), screened.steady);
    for (const LinkFinding& link : drawn_links(fit))
        solved.links.push_back(renamed(link, here));
    for (const LinkFinding& link : doubtful_links(fit, meshes))
        solved.doubtful.push_back(renamed(link, here));
    for (const Node mesh : meshes)
        solved.meshes.push_back(here[mesh]);
    solved.host_confidence.assign(table.hosts(), 0);
    for (Node host = 0; host < screened.steady.size(); ++host)
        solved.host_confidence[screened.steady[host]] = HostPlaces(fit, host).confidence();
    for (Node host = 0; host < table.hosts(); ++host)
        if (solved.noisy[host]) hang_noisy(solved.tree, table, host);
    return solved;
}

}  // namespace trellis::plugins::infer
