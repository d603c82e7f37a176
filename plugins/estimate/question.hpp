// What is asked of `estimate`, and the answer. Plain values; times in milliseconds.
#pragma once

#include "plugins/estimate/forecast/forecast.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::estimate {

enum class Algorithm : std::uint8_t { one_stage, binomial, chain, tree };

struct Question {
    std::string root;                // empty: wherever the round-trip times were recorded
    std::vector<std::string> hosts;  // empty: all
    std::optional<Method> method;    // nothing: chosen automatically
    std::optional<std::size_t> window;
    double horizon_seconds = 0;  // 0: until the next sample
    bool across_shifts = false;
    Algorithm algorithm = Algorithm::one_stage;
    std::size_t rounds = 1;
    double bytes = 0;
    std::vector<double> quantiles{0.5, 0.95, 0.99};
    double c = 0;                         // of every host,
    std::map<std::string, double> own_c;  // but of these
    bool closed_form = false;
    bool published = false;    // the source's truncation
    bool independent = false;  // whatever links are shared

    [[nodiscard]] double c_of(const std::string& host) const {
        const auto own = own_c.find(host);
        return own == own_c.end() ? c : own->second;
    }
};

struct Interval {
    double low = 0, high = 0;
};

struct Answer {
    double expected = 0;
    std::optional<Interval> interval;      // 95%, of the expectation
    std::optional<double> standard_error;  // where it was drawn by lot
    struct Quantile {
        double q = 0, time = 0;
        std::optional<Interval> interval;
    };
    std::vector<Quantile> quantiles;
    struct OfHost {
        std::string name;
        Distribution distribution;
        std::string fit_case;
        std::size_t used = 0, skipped = 0;  // observations; 0: the distribution was given
        std::optional<double> pareto_goodness, normal_goodness;
    };
    std::vector<OfHost> hosts;
    std::string how;  // method and window, or that the distributions were given
    std::string why;  // empty unless chosen automatically
    std::vector<std::string> remarks;
};

}  // namespace trellis::plugins::estimate
