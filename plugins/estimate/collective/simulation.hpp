// What a collective takes where its latencies are not simply independent and at once: by drawing them by lot,
// from a fixed seed, so that the same question has the same answer. Pure functions; times in milliseconds.
#pragma once

#include "plugins/estimate/collective/schedule.hpp"
#include "plugins/estimate/model/distribution.hpp"

#include <cstddef>
#include <vector>

namespace trellis::plugins::estimate {

// What one send takes: its own latency, those of links that others share (drawn once for all in a round), and
// the time for which it keeps its sender from the next one.
struct SendCost {
    Distribution own;
    std::vector<std::size_t> shared;  // places in Collective::shared
    double transfer = 0;
};

struct Collective {
    Schedule schedule;
    std::vector<SendCost> costs;  // of each send
    std::vector<Distribution> shared;
    std::size_t nodes = 1;   // with the root
    std::size_t rounds = 1;  // one after the other: 2 for a gather and a broadcast
};

// Ascending: how long it took, each time that it was drawn; some thousand times, fewer for many nodes.
[[nodiscard]] std::vector<double> simulate(const Collective& collective);

}  // namespace trellis::plugins::estimate
