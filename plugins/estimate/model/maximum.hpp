// Maximum: the greatest of independent latencies, which is what a collective of one stage takes (Kaishima et
// al. 2005, section 3). Made of the distributions, which it copies in O(n); asked for its distribution, its
// expectation and its quantiles. Times in milliseconds.
#pragma once

#include "trellis/result.hpp"

#include "plugins/estimate/model/distribution.hpp"

#include <span>
#include <vector>

namespace trellis::plugins::estimate {

class Maximum {
  public:
    // At least one; all valid.
    explicit Maximum(std::span<const Distribution> hosts);

    // The probability of more than x: 1 - PROD_i P_i(x), without cancellation. O(n).
    [[nodiscard]] double survival(double x) const;

    // k_l + INT_{k_l}^inf survival(x) dx, equal to the source's equation 5, to a relative error of about
    // 1e-11 for any mix (1e-4 where more than 32 of them are truncated). Refused if it diverges: some Pareto
    // distribution has alpha <= 1.
    [[nodiscard]] Result<double> expectation() const;

    // The part of the expectation that times of at most `end` make.
    [[nodiscard]] double expectation_up_to(double end) const;

    // The least time that is not exceeded with probability q; 0 < q < 1.
    [[nodiscard]] double quantile(double q) const;

  private:
    struct Power {
        double log_k, alpha, c;
    };
    struct Bell {
        double mu, scale;
    };
    struct Cut {
        double log_k, alpha, c, x0, log_x0, norm;
    };
    void add(const Distribution& host);
    [[nodiscard]] double far_end() const;
    [[nodiscard]] double last_above(double level, double from, double to) const;
    [[nodiscard]] std::vector<double> corners(double from, double to) const;
    [[nodiscard]] Maximum above(double x) const;
    [[nodiscard]] double step_expectation() const;
    [[nodiscard]] double integral(double from, double to) const;
    [[nodiscard]] double smooth_integral(double from, double to) const;

    std::vector<Distribution> hosts_;
    std::vector<Power> powers_;
    std::vector<Bell> bells_;
    std::vector<Cut> cuts_;
    std::vector<Distribution> steps_;  // empirical ones
    double least_ = 0;                 // nothing is below it, and no unit mass above
};

// The source's equation 12: truncated distributions without their condition, and the integral of equation 5
// up to the greatest x0 of all. What lies beyond is lost. Refused if x0 is below some other host's least
// time, where the source's integral is empty.
[[nodiscard]] Result<double> published_expectation(std::span<const Distribution> hosts);

}  // namespace trellis::plugins::estimate
