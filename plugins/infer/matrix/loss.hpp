// How much the error of one pair counts in a fit. A plain value; errors are in units of the pair's standard
// deviation (relative errors, where the weights are relative).
#pragma once

#include <algorithm>
#include <cmath>

namespace trellis::plugins::infer {

// Squares, or |error| / (1 + |error| / scale): in proportion while the error is small, and never more than
// `scale`, so that pairs which fit no tree do not bend it.
struct Loss {
    double scale = 0;  // 0: squares

    [[nodiscard]] double cost(double error) const {
        if (scale <= 0) return error * error;
        const double size = std::fabs(error);
        return size / (1 + size / scale);
    }
    // The weight of the error's square that gives, up to a factor, the same slope: iteratively reweighted
    // least squares. Errors below a hundredth of the scale are all alike.
    [[nodiscard]] double weight(double error) const {
        if (scale <= 0) return 1;
        const double size = std::fabs(error);
        const double bend = 1 + size / scale;
        return 1 / (bend * bend * std::max(size, 0.01 * scale));
    }
};

}  // namespace trellis::plugins::infer
