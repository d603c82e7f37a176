// Forecast: how the hosts' latencies are distributed, from what was observed of them up to some time, by one
// of the methods. Pure functions of a filled history.
#pragma once

#include "plugins/estimate/history/history.hpp"
#include "plugins/estimate/model/fit.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::estimate {

enum class Method : std::uint8_t {
    pareto,
    normal,
    last,  // the newest observation
    ewma,  // normal, with weights that fall by 1 - 2 / (window + 1) from one observation to the one before
    empirical
};
inline constexpr std::size_t method_count = 5;
[[nodiscard]] std::string_view method_name(Method method);

// A method and how much it looks at.
struct Choice {
    Method method = Method::pareto;
    std::size_t window = 1024;  // observations, at most
    bool since_shift = false;   // only those after the last level shift within them
    friend bool operator==(const Choice&, const Choice&) = default;
};
// "pareto, m = 1024", "last value".
[[nodiscard]] std::string choice_text(const Choice& choice);

struct HostForecast {
    Fit fit;
    std::size_t used = 0;     // observations
    std::size_t skipped = 0;  // within the window, before a level shift
};

// From the rows before `end`, which is at least 1: of each column in its order.
[[nodiscard]] std::vector<HostForecast> forecast_hosts(const History& filled, std::size_t end,
                                                       const Choice& choice);

// E[max] of the forecast; infinite never, since fits without expectation are truncated.
[[nodiscard]] double expected_maximum(const std::vector<HostForecast>& hosts);

}  // namespace trellis::plugins::estimate
