// AutoChoice: which method and window to use, by how far ahead one looks and by how well each has done so
// far. The conditions are those of Kaishima et al. 2005, sections 4.3 and 4.4: nearby is up to 16 samples
// ahead, and windows for farther ahead have at least 32. The windows nearby are those that did best on the
// first half of a series of RIPE Atlas, by tests/bench/estimate_bench; see trellis-estimate(1).
//
// Up to 16 samples ahead, what happens now goes on: of Pareto fits to the last 2, 4 and 8 samples, the one
// whose estimate is the median. Further ahead what is usual counts: Pareto fits to the last 32 to 1024
// samples, of which the one whose squared errors so far are least, where an error counts half as much after
// as many samples as the longest window has. Where some host's alpha is at most 1, as after a level shift:
// normal, m = 512.
#pragma once

#include "plugins/estimate/forecast/estimate_series.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::estimate {

class AutoChoice {
  public:
    // Samples from the newest one to the communication, at least 1.
    explicit AutoChoice(std::size_t horizon);

    [[nodiscard]] bool looks_near() const { return near_; }
    // Those that it chooses among, in the order of `estimates` below.
    [[nodiscard]] const std::vector<Choice>& candidates() const { return candidates_; }

    // What each candidate had estimated `horizon` samples before one of this greatest round-trip time.
    // `elapsed`: samples since the one that was told before.
    void learn(const std::vector<double>& estimates, double maximum, std::size_t elapsed = 1);

    struct Pick {
        std::size_t candidate = 0;
        std::string reason;  // for the user
    };
    // From what each candidate estimates now, and whether some alpha in it is at most 1.
    [[nodiscard]] Pick pick(const std::vector<double>& estimates, const std::vector<char>& truncated) const;

  private:
    [[nodiscard]] std::size_t median_of(const std::vector<double>& estimates) const;
    [[nodiscard]] std::size_t least_error() const;

    bool near_;
    std::vector<Choice> candidates_;  // the last one: for level shifts
    std::vector<double> errors_;      // discounted sums of squares
    double weight_ = 0;
};

// The choice for the time after the last row of the history, learnt from it.
struct AutoForecast {
    Choice choice;
    std::string reason;
};
[[nodiscard]] AutoForecast choose_automatically(const History& filled, std::size_t horizon);

}  // namespace trellis::plugins::estimate
