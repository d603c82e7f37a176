#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace trellis::plugins::infer {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

double deviation_of(std::vector<double> sizes) {
    constexpr double kept = 0.9, share_kept = 0.790;  // of the deviation of all
    if (sizes.empty()) return 0;
    std::ranges::sort(sizes);
    sizes.resize(
        std::max<std::size_t>(1, static_cast<std::size_t>(kept * static_cast<double>(sizes.size()))));
    const double squares = std::inner_product(sizes.begin(), sizes.end(), sizes.begin(), 0.0);
    return std::sqrt(squares / static_cast<double>(sizes.size())) / share_kept;
}

}  // namespace trellis::plugins::infer
