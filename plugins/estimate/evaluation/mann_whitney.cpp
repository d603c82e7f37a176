#include "plugins/estimate/evaluation/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace trellis::plugins::estimate {

double mann_whitney(std::span<const double> a, std::span<const double> b) {
    std::vector<std::pair<double, bool>> all;
    for (const double value : a)
        all.emplace_back(value, true);
    for (const double value : b)
        all.emplace_back(value, false);
    std::ranges::sort(all);
    double rank_sum = 0, ties = 0;
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
        std::size_t of_a = 0;
        for (; last < all.size() && all[last].first == all[first].first; ++last)
            of_a += all[last].second ? 1 : 0;
        const auto equal = static_cast<double>(last - first);
        rank_sum += static_cast<double>(of_a) * static_cast<double>(first + 1 + last) / 2;
        ties += equal * equal * equal - equal;
    }
    const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), whole = n + m;
    const double off = std::abs(rank_sum - n * (n + 1) / 2 - n * m / 2);
    const double variance = n * m / 12 * (whole + 1 - ties / (whole * (whole - 1)));
    if (!(variance > 0)) return 1;
    return std::erfc(std::max(0.0, off - 0.5) / std::sqrt(2 * variance));
}

}  // namespace trellis::plugins::estimate
