// A tree of switches fitted to a table of round-trip times: the lengths that explain the table best, what
// they leave of each pair's round trip, and how much noise that speaks for. Owned by a search, which decides
// what hangs where; the fit itself never adds, removes or moves a switch.
//
// The links of hosts (legs) are least squares over all their pairs; a link between switches is as long as the
// means between the branches on its sides say (branch_split.hpp); both in turns, until nothing moves. With n
// hosts and s switches: O(n^2) memory, O(s n^2) time for each turn.
#pragma once

#include "plugins/infer/tree/branch_split.hpp"
#include "plugins/infer/tree/pair_table.hpp"
#include "plugins/infer/tree/switch_tree.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace trellis::plugins::infer {

class TreeFit {
  public:
    // All hosts on one switch, fitted. The table, of at least one host, outlives the fit. `sigma_us`: of one
    // pair, where it is known; else it is estimated.
    TreeFit(const PairTable& table, std::optional<double> sigma_us);

    // Changes of the tree. What is told of lengths and residuals is that of the last fit() until the next.
    // Returns the new switch.
    Node split(Node node, const Split& split);
    void merge(Node a, Node b) { tree_.merge(a, b); }
    void move(Node host, Node to);
    void replace_tree(SwitchTree tree) { tree_ = std::move(tree); }
    // Until the next fit().
    void suppose_sigma(double sigma_us) { sigma_ = sigma_us; }
    void fit();

    [[nodiscard]] const PairTable& table() const { return table_; }
    // Its links of hosts have no length: that is in leg().
    [[nodiscard]] const SwitchTree& tree() const { return tree_; }
    // With all lengths, none of them negative.
    [[nodiscard]] SwitchTree whole_tree() const;
    // What the host's own link adds to a round trip, us; not below 0 but for noise.
    [[nodiscard]] double leg(Node host) const { return leg_[host]; }
    // Of one pair, us: from what the tree leaves unexplained, and what the minima of the sets alone tell.
    [[nodiscard]] double sigma() const { return sigma_; }
    [[nodiscard]] double least_sigma() const { return least_sigma_; }
    // Of each measured pair, us; of one pair, 0 if it is not measured.
    [[nodiscard]] std::vector<double> residuals() const;
    [[nodiscard]] double residual(Node a, Node b) const { return residual_[a * n_ + b]; }

    // Those of the tree; the place of each host's among them; and what lies between two places, us.
    [[nodiscard]] const std::vector<Node>& switches() const { return switches_; }
    [[nodiscard]] std::size_t place_of(Node host) const { return at_[host]; }
    [[nodiscard]] double between(std::size_t s, std::size_t t) const {
        return between_[s * switches_.size() + t];
    }

    // Of the residuals between groups of hosts, each of which counts as no greater than `limit` (of a pair of
    // weight 1).
    [[nodiscard]] BranchMeans means_of(const std::vector<std::vector<Node>>& branches,
                                       double limit = std::numeric_limits<double>::infinity()) const;
    // What the link is worth, with its two switches taken as one; `length` is what it should be longer.
    [[nodiscard]] Split weigh_link(Node s, Node t) const;
    // Of the link as long as it should be (branch_split.hpp).
    [[nodiscard]] double evidence(Node s, Node t) const;

  private:
    [[nodiscard]] double weight_of(const std::vector<Node>& hosts) const;
    [[nodiscard]] double first_leg(Node host) const;
    [[nodiscard]] double noise_of_sets() const;
    void measure_switches();
    void fit_legs();
    double fit_links();
    void compute_residuals();
    void estimate_sigma();

    const PairTable& table_;
    std::size_t n_;
    std::optional<double> known_sigma_;
    SwitchTree tree_;
    std::vector<double> leg_;       // of each host, in round trips
    std::vector<double> residual_;  // of each pair; 0 if not measured
    std::vector<Node> switches_;
    std::vector<std::size_t> at_;  // of each host's switch in switches_
    std::vector<double> between_;  // of two switches, by their places
    double sigma_ = 0, least_sigma_ = 0;
};

}  // namespace trellis::plugins::infer
