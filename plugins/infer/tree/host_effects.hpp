// What errors of pairs of hosts consist of, where the pairs join two groups of hosts (two clusters, two
// branches of a switch): a part that is the pair's own, and a part that all pairs of one host with the other
// group have in common. Estimated by the analysis of variance, over many pairs of groups together. Pure.
#pragma once

#include <cstdint>
#include <span>

namespace trellis::plugins::infer {

// What the round trip of a, of one group, and b, of the other one, differs by from what it should be.
struct PairRest {
    std::uint32_t a = 0, b = 0;
    double us = 0;
};

class HostEffects {
  public:
    // The pairs of two groups, at least one. Returns by what part of its variance the part of hosts goes into
    // the mean of these pairs.
    double add(std::span<const PairRest> rests);

    // The two variances, us^2.
    [[nodiscard]] double of_pair() const;
    [[nodiscard]] double of_host() const;
    // By how many deviations of what chance makes of it hosts differ more than their pairs explain.
    [[nodiscard]] double excess() const;

  private:
    struct Squares {
        double sum = 0, freedom = 0;
    };
    Squares all_, of_hosts_;
    double shares_ = 0;  // of the variance of hosts in of_hosts_.sum
};

}  // namespace trellis::plugins::infer
