#include "tests/sim/noisy_network.hpp"

#include <chrono>

namespace trellis::sim {

NoisyRoundTrips::NoisyRoundTrips(const NoisyNetwork& network, std::uint64_t seed)
    : network_(network), noise_(seed) {
    for (const TopologyNode host : network.throttled)
        noise_.throttle(host);
    if (network.routes) tree_.emplace(network.truth);
}

Duration NoisyRoundTrips::sample(TopologyNode a, TopologyNode b, TimePoint begun, Duration passed) {
    Delay path = passed;
    if (tree_) path += network_.routes->round_trip(a, b) - 2 * tree_->distance(a, b);
    const Delay exact = noise_.sample(network_.noise(a, b), a, b, path);
    const Duration taken = std::chrono::duration_cast<Duration>(exact);
    const Duration start = begun.time_since_epoch(), step = network_.clock_step;
    return (start + taken) / step * step - start / step * step;
}

}  // namespace trellis::sim
