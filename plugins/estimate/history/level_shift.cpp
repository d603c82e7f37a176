#include "plugins/estimate/history/level_shift.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t least_part = 8;
constexpr double significance = 0.001;
constexpr double least_effect = 0.9;  // 2 P(after > before) - 1, or its negative

// From 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t place) { return values[place]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        while (last < order.size() && values[order[last]] == values[order[first]])
            ++last;
        for (std::size_t place = first; place < last; ++place)
            ranks[order[place]] = static_cast<double>(first + 1 + last) / 2;
    }
    return ranks;
}

// Where the second part begins; 0: there is no shift.
std::size_t strongest_shift(std::span<const double> values) {
    const auto m = static_cast<double>(values.size());
    const std::vector<double> ranks = ranks_of(values);
    double sum = 0, greatest = 0;
    std::size_t at = 0;
    for (std::size_t split = 1; split + least_part <= values.size(); ++split) {
        sum += 2 * ranks[split - 1] - (m + 1);
        if (split < least_part || std::abs(sum) <= greatest) continue;
        greatest = std::abs(sum);
        at = split;
    }
    const auto before = static_cast<double>(at);
    const double chance = 2 * std::exp(-6 * greatest * greatest / (m * m * m + m * m));
    return chance < significance && greatest >= least_effect * before * (m - before) ? at : 0;
}

}  // namespace

std::size_t after_last_shift(std::span<const double> observations) {
    std::size_t begin = 0;
    while (observations.size() - begin >= 2 * least_part) {
        const std::size_t shift = strongest_shift(observations.subspan(begin));
        if (shift == 0) break;
        begin += shift;
    }
    return begin;
}

}  // namespace trellis::plugins::estimate
