// Moves of subtrees that bring a tree closer to measured round trips: a subtree is cut off and grafted on
// where it fits best (subtree pruning and regrafting). Owned by one refinement; it changes the tree that it
// was given, move by move.
#pragma once

#include "plugins/infer/matrix/binary_tree.hpp"
#include "plugins/infer/matrix/loss.hpp"
#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <cstddef>
#include <vector>

namespace trellis::plugins::infer {

// The weighted sum of squares of (p + e) over terms e, as a function of p.
struct SquareSum {
    double weight = 0;
    double slope = 0;     // sum of weight * e
    double constant = 0;  // sum of weight * e^2

    void add(double term_weight, double e) {
        weight += term_weight;
        slope += term_weight * e;
        constant += term_weight * e * e;
    }
    SquareSum& operator+=(const SquareSum& other) {
        weight += other.weight;
        slope += other.slope;
        constant += other.constant;
        return *this;
    }
    // The same sum as a function of p - length.
    [[nodiscard]] SquareSum beyond(double length) const {
        return {weight, slope + length * weight, constant + length * (2 * slope + length * weight)};
    }
    [[nodiscard]] double at(double p) const { return constant + p * (2 * slope + p * weight); }
};

// Where a subtree's root can hang on a link: its distance to either end of the link.
struct Foothold {
    double to_near = 0;
    double to_far = 0;
};
// The best place on, and off, a link of that length: the least of near.at(to_near) + far.at(to_far) over all
// distances that a tree can have (to_near + to_far >= length, |to_near - to_far| <= length). Returns that
// least.
double best_foothold(const SquareSum& near, const SquareSum& far, double length, Foothold& foothold);

class SubtreeSearch {
  public:
    // Both outlive the search; the hosts are those of the matrix.
    SubtreeSearch(BinaryTree& tree, const RttMatrix& matrix);

    // Cuts off the part of the tree beyond each link in turn, and grafts it on at the place where its pairs
    // with the other hosts cost least, if that is less than before. Returns the number of moves. Time: for
    // each link, the hosts on one side times those on the other, and the nodes.
    std::size_t round(const Loss& loss);

  private:
    // A subtree that is cut off: `root` with all beyond it, and the switch `joint` that held it between two
    // others.
    struct Cut {
        TopologyNode root, joint;
        BinaryTree::End left, right;
    };
    struct Place {
        TopologyNode near, far;  // the link
        double length;
        Foothold foothold;
        double cost;
    };

    bool improve(TopologyNode joint, TopologyNode root);
    void split_hosts(const Cut& cut);
    double pull_of_present();
    void collect_places(const Cut& cut);
    void sum_towards_root(TopologyNode from);
    double settle(Place& place);
    void graft(const Cut& cut, const Place& place);

    BinaryTree& tree_;
    std::size_t hosts_;
    std::vector<double> rtts_, scales_,
        tree_rtts_;  // of pairs; scales: 1 / standard deviation, 0 not measured
    Loss loss_;

    // Of the present cut.
    std::vector<TopologyNode> inside_, outside_;
    std::vector<double> depth_;    // of nodes inside, from its root; negative outside
    std::vector<SquareSum> pull_;  // of each host outside: of the distance between it and the root inside
    std::vector<TopologyNode> order_, parent_;
    std::vector<double> length_;  // to the parent
    std::vector<SquareSum> below_, above_;
    std::vector<Place> places_;
    std::vector<double> from_near_, from_far_;
};

}  // namespace trellis::plugins::infer
