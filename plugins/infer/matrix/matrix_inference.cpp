#include "plugins/infer/matrix/matrix_inference.hpp"

#include "agentd/model/topology_adjacency.hpp"
#include "plugins/infer/matrix/binary_tree.hpp"
#include "plugins/infer/matrix/delay_fit.hpp"
#include "plugins/infer/matrix/neighbour_joining.hpp"
#include "plugins/infer/matrix/tree_refinement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trellis::plugins::infer {
namespace {

// Below which that share of the numbers lies; 0 of none.
double quantile(std::vector<double> numbers, double share) {
    if (numbers.empty()) return 0;
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1));
    std::ranges::nth_element(numbers, numbers.begin() + rank);
    return numbers[static_cast<std::size_t>(rank)];
}

// By falling `figure`; the first among equals stays first.
template <class Row, class Figure>
std::vector<Row> worst_of(std::vector<Row> rows, Figure figure, std::size_t worst) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, figure);
    rows.resize(std::min(rows.size(), worst));
    return rows;
}

std::vector<Residuals::OfPair> pair_residuals(const Topology& tree, const RttMatrix& matrix) {
    const TopologyAdjacency adjacency(tree);
    std::vector<Residuals::OfPair> pairs;
    for (TopologyNode a = 0; a < matrix.size(); ++a) {
        const std::vector<Delay> delays = adjacency.distances_from(a);
        for (std::size_t b = a + 1; b < matrix.size(); ++b) {
            const double rtt_us = matrix.rtt_us(a, b), tree_us = 2 * delays[b].count();
            if (!matrix.measured(a, b) || rtt_us <= 0) continue;
            pairs.push_back({a, b, rtt_us, tree_us, std::fabs(tree_us - rtt_us) / rtt_us});
        }
    }
    return pairs;
}

std::vector<Residuals::OfHost> host_residuals(const std::vector<Residuals::OfPair>& pairs,
                                              std::size_t hosts) {
    std::vector<std::vector<double>> errors(hosts);
    for (const Residuals::OfPair& pair : pairs)
        for (const std::size_t host : {pair.a, pair.b})
            errors[host].push_back(pair.relative);
    std::vector<Residuals::OfHost> rows;
    for (std::size_t host = 0; host < hosts; ++host)
        rows.push_back({host, quantile(std::move(errors[host]), 0.5)});
    return rows;
}

// Standard errors in the scale of the residuals, and the confidence that a link between switches is longer
// than 0.
void judge_links(Topology& tree, const RttMatrix& matrix) {
    constexpr double deviations_per_median = 1.4826;  // of a normal distribution
    const double deviation = deviations_per_median * residuals_of(tree, matrix, 0).median;
    set_standard_errors(tree, matrix);
    for (TopologyLink& link : tree.links) {
        link.standard_error *= deviation;
        if (tree.is_host(link.a) || tree.is_host(link.b) || link.standard_error.count() <= 0) continue;
        link.confidence = std::erf(link.delay / link.standard_error / std::sqrt(2.0));
    }
}

// Contracts what may be no link, as long as there is such, and fits the others again.
void drop_doubtful_links(Topology& tree, const RttMatrix& matrix) {
    const auto doubtful = [](const TopologyLink& link) {
        return link.delay < least_deviations * link.standard_error;
    };
    judge_links(tree, matrix);
    for (std::size_t before = tree.node_count() + 1; tree.node_count() < before;) {
        before = tree.node_count();
        tree = contract(tree, doubtful);
        (void)fit_delays(tree, matrix, relative_loss);
        judge_links(tree, matrix);
    }
}

}  // namespace

Residuals residuals_of(const Topology& tree, const RttMatrix& matrix, std::size_t worst) {
    std::vector<Residuals::OfPair> pairs = pair_residuals(tree, matrix);
    std::vector<double> errors;
    errors.reserve(pairs.size());
    for (const Residuals::OfPair& pair : pairs)
        errors.push_back(pair.relative);
    Residuals residuals;
    residuals.pairs = pairs.size();
    residuals.median = quantile(errors, 0.5);
    residuals.percentile_90 = quantile(errors, 0.9);
    if (!errors.empty())
        residuals.mean =
            std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    residuals.worst_hosts = worst_of(host_residuals(pairs, matrix.size()), &Residuals::OfHost::median, worst);
    residuals.worst_pairs = worst_of(std::move(pairs), &Residuals::OfPair::relative, worst);
    return residuals;
}

Result<MatrixInference> infer_from_matrix(RttMatrix matrix) {
    if (matrix.size() == 0) return invalid("the matrix names no hosts");
    if (matrix.size() > most_matrix_hosts)
        return invalid("the matrix has " + std::to_string(matrix.size()) + " hosts; at most " +
                       std::to_string(most_matrix_hosts) + " can be fitted");
    if (const Result<void> connected = check_connected(matrix); !connected) return connected.error();
    matrix.weigh_relatively();
    MatrixInference inference;
    inference.topology = refine(neighbour_joining(matrix), matrix, Loss{});
    inference.topology = refine(inference.topology, matrix, relative_loss);
    drop_doubtful_links(inference.topology, matrix);
    inference.residuals = residuals_of(inference.topology, matrix);
    return inference;
}

}  // namespace trellis::plugins::infer
