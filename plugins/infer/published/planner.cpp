#include "plugins/infer/published/planner.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace trellis::plugins::infer {

std::vector<HostNumber> insertion_order(std::size_t count, std::uint64_t seed) {
    std::vector<HostNumber> order(count);
    std::iota(order.begin(), order.end(), HostNumber{0});
    std::mt19937_64 random(seed);
    for (std::size_t left = count; left > 1; --left)
        std::swap(order[left - 1], order[random() % left]);
    return order;
}

}  // namespace trellis::plugins::infer
