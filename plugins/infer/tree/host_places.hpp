// Where one host of a fitted tree would hang best, if it hangs on one of its switches: each of them weighed
// by what the host's round trips leave unexplained there, and by the company that it has. Pure; of use until
// the fit changes.
#pragma once

#include "plugins/infer/tree/tree_fit.hpp"

#include <vector>

namespace trellis::plugins::infer {

class HostPlaces {
  public:
    HostPlaces(const TreeFit& fit, Node host);

    // The switch that is best by more than nothing; else its own.
    [[nodiscard]] Node best() const;
    // How likely the host hangs where it does rather than on another switch, 0 to 1; a switch that is better
    // counts as much as its own.
    [[nodiscard]] double confidence() const;

  private:
    void weigh(const std::vector<double>& count, const std::vector<double>& sum);

    const TreeFit& fit_;
    std::size_t own_;
    std::vector<double> company_;  // by place: how many hosts are there, one alone counting for little
    // By place: the squares that stay unexplained, less what the company speaks for it, times sigma^2; equal
    // if nothing is measured.
    std::vector<double> costs_;
};

}  // namespace trellis::plugins::infer
