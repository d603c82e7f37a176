// One split of a switch's branches: the sums from which its length and evidence follow (branch_split.hpp),
// kept up to date as branches cross over. Owned by a search for the best split.
#pragma once

#include "plugins/infer/tree/branch_means.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace trellis::plugins::infer {

// ln of how much likelier a link of this length makes the measurements than its absence.
[[nodiscard]] double gain_of_link(double length, double variance);

class BranchCut {
  public:
    // `means` outlive it. `second`: by branch, on which side. `sigma`: of one pair, us.
    BranchCut(const BranchMeans& means, std::vector<bool> second, double sigma);

    [[nodiscard]] bool allowed() const { return side_[0].branches >= 2 && side_[1].branches >= 2; }
    [[nodiscard]] bool may_cross(std::size_t b) const { return side_[second_[b] ? 1 : 0].branches > 2; }
    [[nodiscard]] const std::vector<bool>& second() const { return second_; }

    [[nodiscard]] double length() const { return cross() - (within(0) + within(1)) / 2; }
    [[nodiscard]] double variance() const;
    [[nodiscard]] double evidence() const { return gain_of_link(length(), variance()) - price(); }
    [[nodiscard]] double price() const;

    // What evidence() would be with the branch on the other side.
    [[nodiscard]] double evidence_without(std::size_t b);
    void cross_over(std::size_t b) { cross_over(b, true); }

  private:
    // Of one side: sums of the powers of v, and of v v' M over the pairs within.
    struct Side {
        double branches = 0, v = 0, v2 = 0, v3 = 0, within = 0;
        [[nodiscard]] double pairs() const { return (v * v - v2) / 2; }
    };
    // Of one branch towards one side: sums of v M and of v^2 M.
    struct Row {
        double v = 0, v2 = 0;
    };

    void count(std::size_t b, std::size_t side, double sign);
    // near_: towards side 0, far_: towards side 1, whatever the branch's own side.
    void sum_row(std::size_t b);
    void add_row(std::size_t b);
    // A branch of side 0 towards side 1.
    void add_across(std::size_t b, double sign);
    // The same of a branch of side 1 towards side 0.
    void add_back(std::size_t b, double sign);
    void cross_over(std::size_t b, bool keep_rows);
    void move_in_rows(std::size_t b);

    [[nodiscard]] double within(std::size_t side) const { return side_[side].within / side_[side].pairs(); }
    // Each branch's part is v (V - v) / 2 Z, Z being the pairs of its side.
    [[nodiscard]] double cross() const;
    // Sum of the squares of these parts, each divided by v.
    [[nodiscard]] double share(std::size_t side) const;

    const BranchMeans& means_;
    std::vector<bool> second_;
    double sigma_;
    std::vector<Row> near_, far_;
    std::array<Side, 2> side_;
    double p11_ = 0, p12_ = 0, p21_ = 0, p22_ = 0;
};

}  // namespace trellis::plugins::infer
