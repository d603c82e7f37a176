#include "plugins/infer/matrix/tree_refinement.hpp"

#include "plugins/infer/matrix/binary_tree.hpp"
#include "plugins/infer/matrix/neighbour_joining.hpp"
#include "plugins/infer/matrix/subtree_search.hpp"

#include <algorithm>

namespace trellis::plugins::infer {
namespace {

constexpr int most_rounds = 30;
constexpr double worth_a_round = 1e-4;  // of the cost
constexpr double negligible = 1e-6;     // of the greatest round trip

// Fits all lengths; returns the cost.
double fit_lengths(BinaryTree& tree, const RttMatrix& matrix, const Loss& loss) {
    constexpr int passes = 5;
    constexpr double precision = 1e-9;
    const std::vector<TopologyLink> links = tree.links();
    std::vector<double> lengths;
    lengths.reserve(links.size());
    for (const TopologyLink& link : links)
        lengths.push_back(2 * link.delay.count());
    DelayFit fit(tree.size(), links, matrix);
    fit.improve(lengths, loss, passes, precision);
    for (std::size_t k = 0; k < links.size(); ++k)
        tree.set_length(links[k].a, links[k].b, lengths[k]);
    return fit.cost(lengths, loss);
}

void search(BinaryTree& tree, const RttMatrix& matrix, const Loss& loss) {
    SubtreeSearch moves(tree, matrix);
    double cost = fit_lengths(tree, matrix, loss);
    for (int round = 0; round < most_rounds; ++round) {
        if (moves.round(loss) == 0) break;
        const double before = cost;
        cost = fit_lengths(tree, matrix, loss);
        if (cost > before * (1 - worth_a_round)) break;
    }
}

Delay least_link(const RttMatrix& matrix) {
    double greatest_us = 0;
    for (std::size_t a = 0; a < matrix.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            greatest_us = std::max(greatest_us, matrix.rtt_us(a, b));
    return Delay{negligible * greatest_us};
}

}  // namespace

Topology refine(const Topology& tree, const RttMatrix& matrix, const Loss& loss, FitQuality* quality) {
    Topology refined = tree;
    if (matrix.size() > 3) {
        BinaryTree searched(tree);
        search(searched, matrix, loss);
        refined = named_topology(matrix.hosts(), searched.size(), searched.links());
    }
    (void)fit_delays(refined, matrix, loss);
    const Delay least = least_link(matrix);
    refined = contract(refined, [&](const TopologyLink& link) { return link.delay <= least; });
    const FitQuality left = fit_delays(refined, matrix, loss);
    if (quality) *quality = left;
    return refined;
}

}  // namespace trellis::plugins::infer
