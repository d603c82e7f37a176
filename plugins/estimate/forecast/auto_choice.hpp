// AutoChoice: which method and window to use, by how far ahead one looks and by how well each has done so
// far. The conditions are those of Kaishima et al. 2005, sections 4.3 and 4.4: nearby is up to 16 samples
// ahead, and windows for farther ahead have at least 32. What the source leaves open was chosen on the first
// half of a series of RIPE Atlas, by tests/bench/estimate_bench; see trellis-estimate(1).
//
// Further ahead than 16 samples, what is usual counts: of Pareto fits to the last 32 to 1024 samples, the one
// whose squared errors so far are least, where an error counts half as much after as many samples as the
// longest window has. Up to 16 samples ahead, what happens now goes on: of Pareto fits to the last 2, 4 and 8
// samples, the one whose estimate is the median; unless what is usual has clearly been better of late. Where
// some host's alpha is at most 1, as after a level shift: normal, m = 512.
#pragma once

#include "plugins/estimate/forecast/estimate_series.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::plugins::estimate {

class AutoChoice {
  public:
    // When nearby what is usual counts instead: once its squared errors are at most `share` of the others',
    // where an error counts half as much after `memory` times as many samples as one looks ahead.
    struct Doubt {
        double memory = 24;
        double share = 0.7;
    };
    // `horizon`: samples from the newest one to the communication, at least 1.
    explicit AutoChoice(std::size_t horizon) : AutoChoice(horizon, Doubt()) {}
    AutoChoice(std::size_t horizon, const Doubt& doubt);

    // Those that it chooses among, in the order of `estimates` below.
    [[nodiscard]] static const std::vector<Choice>& candidates();

    // What each candidate had estimated `horizon` samples before one of this greatest round-trip time.
    // `elapsed`: samples since the one that was told before, for all of which this one stands.
    void learn(const std::vector<double>& estimates, double maximum, std::size_t elapsed = 1);

    struct Pick {
        std::size_t candidate = 0;
        std::string reason;  // for the user
    };
    // From what each candidate estimates now, and whether some alpha in it is at most 1.
    [[nodiscard]] Pick pick(const std::vector<double>& estimates, const std::vector<char>& truncated) const;

  private:
    // Squares, each weighing less the older it is.
    struct Errors {
        double squares = 0, weight = 0;
        void add(double error, double times, double keep) {
            squares = squares * keep + times * error * error;
            weight = weight * keep + times;
        }
        [[nodiscard]] double root_mean_square() const;
    };
    [[nodiscard]] std::size_t usual() const;
    [[nodiscard]] Pick pick_regular(const std::vector<double>& estimates) const;

    std::size_t horizon_;
    Doubt doubt_;
    std::vector<Errors> long_run_, of_late_;  // [candidate]
    Errors median_of_late_;                   // of what is near
};

// The choice for the time after the last row of the history, learnt from it.
struct AutoForecast {
    Choice choice;
    std::string reason;
};
[[nodiscard]] AutoForecast choose_automatically(const History& filled, std::size_t horizon);

}  // namespace trellis::plugins::estimate
