// A file of distributions, given instead of fitted ones: one line a host, "HOST,pareto,K,ALPHA",
// "HOST,normal,MU,SIGMA", "HOST,unit,K" or "HOST,truncated,K,ALPHA,X0"; times in milliseconds.
#pragma once

#include "plugins/estimate/model/distribution.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::estimate {

struct NamedDistribution {
    std::string host;
    Distribution distribution;
};

// At least one. A first line "host,model,..." is a heading. The failure names the line.
[[nodiscard]] Result<std::vector<NamedDistribution>> parse_model(std::string_view text);
// The failure begins with the path.
[[nodiscard]] Result<std::vector<NamedDistribution>> read_model(const std::string& path);

}  // namespace trellis::plugins::estimate
