#include "agentd/model/link_widths.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {

LinkWidths::LinkWidths(const std::vector<LinkDirections>& bandwidths) {
    for (const LinkDirections& link : bandwidths) {
        const double rate = link.least();
        if (rate <= 0) continue;
        slowest_ = fastest_ == 0 ? rate : std::min(slowest_, rate);
        fastest_ = std::max(fastest_, rate);
    }
}

double LinkWidths::of(double bits_per_second, std::size_t hosts_below) const {
    if (fastest_ == 0) return 1.5 + 0.35 * std::log2(1.0 + static_cast<double>(hosts_below));
    if (bits_per_second <= 0) return 1;
    if (slowest_ == fastest_) return 4;
    return 2 + 8 * std::log(bits_per_second / slowest_) / std::log(fastest_ / slowest_);
}

std::vector<double> LinkWidths::range() const {
    if (slowest_ == fastest_) return {};
    return {slowest_, fastest_};
}

}  // namespace trellis
