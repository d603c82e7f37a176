#include "plugins/infer/tree/mesh.hpp"

#include "plugins/infer/tree/host_effects.hpp"
#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trellis::plugins::infer {
namespace {

constexpr double outlier = 4;            // deviations
constexpr double much_misfit = 2.5;      // times what noise makes
constexpr double much_excess = 6;        // deviations of what chance makes
constexpr double sensible_share = 1e-3;  // of a round trip: a lesser difference may have any cause
constexpr double left_as_it_is = std::numeric_limits<double>::infinity();

// How far the means between branches are from those of one point (or of two with a link between): the sum of
// squares in units of what noise makes, and how many squares are free.
struct Misfit {
    double squares = 0, freedom = 0;
    double us = 0;  // of a pair of branches
    [[nodiscard]] bool much() const {
        return freedom > 0 && squares > much_misfit * freedom &&
               squares > freedom + 7 * std::sqrt(2 * freedom);
    }
};

void take_off(BranchMeans& means, const std::vector<bool>& second, double length) {
    for (std::size_t b = 0; b < means.count(); ++b)
        for (std::size_t c = 0; c < means.count(); ++c)
            if (second[b] != second[c]) means.at(b, c) -= length;
}

// `second`: the sides of the link, whose length is not to count.
Misfit misfit_of(const TreeFit& fit, const std::vector<std::vector<Node>>& branches,
                 const std::optional<std::vector<bool>>& second) {
    const double p = static_cast<double>(branches.size());
    BranchMeans means = fit.means_of(branches, outlier * fit.sigma());
    if (second) take_off(means, *second, weigh_split(means, *second, fit.sigma()).length);
    means.centre();
    Misfit misfit{0, p * (p - 1) / 2 - p - (second ? 1 : 0), 0};
    double pairs = 0;
    for (std::size_t b = 0; b < branches.size(); ++b)
        for (std::size_t c = b + 1; c < branches.size(); ++c) {
            const double weight = means.hosts[b] * means.hosts[c];
            misfit.squares += weight * means.at(b, c) * means.at(b, c) / (fit.sigma() * fit.sigma());
            pairs += weight;
        }
    misfit.us = fit.sigma() * std::sqrt(misfit.squares / pairs);
    return misfit;
}

// Where each host has routes of its own, its round trips to one branch have something in common that those to
// other branches have not.
HostEffects host_effects(const TreeFit& fit, const std::vector<std::vector<Node>>& branches) {
    HostEffects effects;
    const double limit = outlier * fit.sigma();
    for (std::size_t b = 0; b < branches.size(); ++b)
        for (std::size_t c = b + 1; c < branches.size(); ++c) {
            std::vector<PairRest> rests;
            for (const Node i : branches[b])
                for (const Node j : branches[c])
                    if (fit.table().measured(i, j))
                        rests.push_back({i, j, std::clamp(fit.residual(i, j), -limit, limit)});
            if (!rests.empty()) effects.add(rests);
        }
    return effects;
}

double usual_rtt(const PairTable& table) {
    std::vector<double> rtts;
    for (std::size_t a = 0; a < table.hosts(); ++a)
        for (std::size_t b = a + 1; b < table.hosts(); ++b)
            if (table.measured(a, b)) rtts.push_back(table.rtt(a, b));
    return median(std::move(rtts));
}

}  // namespace

std::vector<Node> find_meshes(const TreeFit& fit) {
    std::vector<Node> found;
    const double least = sensible_share * usual_rtt(fit.table());
    for (const Node node : fit.tree().switches()) {
        const std::vector<std::vector<Node>> branches = fit.tree().branches(node);
        const Misfit misfit = misfit_of(fit, branches, std::nullopt);
        const HostEffects effects = host_effects(fit, branches);
        if ((misfit.much() && misfit.us > least) ||
            (effects.excess() > much_excess && std::sqrt(effects.of_host()) > least))
            found.push_back(node);
    }
    return found;
}

std::optional<std::pair<Node, Node>> link_in_mesh(const TreeFit& fit) {
    const std::vector<Node> meshes = find_meshes(fit);
    const auto is_inner = [&](Node node) {
        return std::ranges::find(meshes, node) != meshes.end() && !fit.tree().carries_hosts(node);
    };
    for (const auto& [s, t] : fit.tree().links())
        if (is_inner(s) && is_inner(t)) return std::pair(s, t);
    return std::nullopt;
}

double evidence_in_mesh(const TreeFit& fit, Node s, Node t) {
    if (fit.tree().carries_hosts(s) || fit.tree().carries_hosts(t)) return left_as_it_is;
    const LinkBranches both = fit.tree().branches_of_both(s, t);
    const Misfit misfit = misfit_of(fit, both.hosts, both.second);
    if (!misfit.much()) return left_as_it_is;
    const Split split = fit.weigh_link(s, t);
    const double gain = split.gain(fit.tree().length(s, t) + split.length);
    return (misfit.freedom + 3) / 2 * std::log1p(2 * gain / (misfit.squares + 3)) - split.price;
}

double evidence_beside_mesh(const TreeFit& fit, Node s, Node t) {
    if (!fit.tree().carries_hosts(s) || !fit.tree().carries_hosts(t)) return left_as_it_is;
    LinkBranches both = fit.tree().branches_of_both(s, t);
    BranchMeans means = fit.means_of(both.hosts);
    for (double& hosts : means.hosts)
        hosts = 1;
    const Split split = weigh_split(means, std::move(both.second), fit.sigma());
    return split.gain(fit.tree().length(s, t) + split.length) - split.price;
}

}  // namespace trellis::plugins::infer
