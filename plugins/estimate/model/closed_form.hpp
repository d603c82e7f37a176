// The closed forms of Kaishima et al. 2005: what the source computes for few hosts, and a check of the
// integration. Times in milliseconds.
#pragma once

#include "trellis/result.hpp"

#include "plugins/estimate/model/distribution.hpp"

#include <cstdint>
#include <span>

namespace trellis::plugins::estimate {

inline constexpr std::size_t most_closed_form_hosts = 12;

// Inclusion and exclusion over the subsets of the hosts, n 2^(n-1) terms: equations 6 and 7; 12 where some
// distribution is truncated, which the source does by ending the integral at the greatest x0; 14 for unit
// masses. Refused for more than 12 hosts (the terms cancel, and are many), for other shapes, where some c is
// not 0, where alpha <= 1 is not truncated, and where x0 lies before the greatest k.
[[nodiscard]] Result<double> closed_form_expectation(std::span<const Distribution> hosts);

// Equation 8, of n hosts with the same k and alpha > 1: -n k Gamma(-1/a) Gamma(n) / (a Gamma(1 - 1/a + n)).
[[nodiscard]] double equal_pareto_expectation(std::uint64_t n, const Pareto& host);

}  // namespace trellis::plugins::estimate
