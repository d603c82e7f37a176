#include "agentd/model/delay_colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trellis {

DelayColours::DelayColours(const Topology& topology) {
    for (const TopologyLink& link : topology.links) {
        if (link.delay <= Delay{0}) continue;
        shortest_ = std::min(shortest_, link.delay);
        longest_ = std::max(longest_, link.delay);
    }
}

std::string DelayColours::of(Delay delay) const {
    const double at = delay > shortest_ && longest_ > shortest_
                          ? 2 * std::log(delay / shortest_) / std::log(longest_ / shortest_)
                          : 0;
    constexpr std::array<std::array<double, 3>, 3> stops{{{31, 150, 136}, {222, 160, 20}, {205, 60, 75}}};
    const std::size_t from = at < 1 ? 0 : 1;
    std::string text = "#";
    for (std::size_t i = 0; i < 3; ++i) {
        const double part = at - static_cast<double>(from);
        const double shade = stops[from][i] + part * (stops[from + 1][i] - stops[from][i]);
        const auto value = static_cast<std::size_t>(std::lround(shade));
        text += "0123456789abcdef"[value / 16 % 16];
        text += "0123456789abcdef"[value % 16];
    }
    return text;
}

std::vector<Delay> DelayColours::range() const {
    if (!(shortest_ < longest_)) return {};
    return {shortest_, longest_};
}

}  // namespace trellis
