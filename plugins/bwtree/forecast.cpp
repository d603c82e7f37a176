#include "plugins/bwtree/forecast.hpp"

#include "plugins/bwtree/flow_timing.hpp"
#include "plugins/bwtree/fluid_rates.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <vector>

namespace trellis::plugins::bwtree {
namespace {

constexpr double rate_of_unknown = 1e9;

std::vector<double> supposed_rates(const Topology& topology, const TopologyBandwidth* known) {
    std::vector<double> rates(2 * topology.links.size(), rate_of_unknown);
    for (std::size_t i = 0; known != nullptr && i < rates.size(); ++i) {
        const double rate = known->links[i / 2][i % 2].bits_per_second;
        if (rate > 0) rates[i] = rate;
    }
    return rates;
}

// Of the flows of each group.
std::map<std::uint32_t, Delay> longest_round_trips(const DirectedPaths& paths, const Round& round) {
    std::map<std::uint32_t, Delay> longest;
    for (const auto& [from, to, group] : round)
        longest[group] = std::max(longest[group], 2 * paths.delay(from, to));
    return longest;
}

}  // namespace

Forecast foretold(const Topology& topology, const TopologyBandwidth* known, MeasuringPlan& plan) {
    const DirectedPaths paths(topology);
    const std::vector<double> capacity = supposed_rates(topology, known);
    Forecast forecast;
    while (const auto round = plan.next()) {
        const std::vector<FlowRate> rates = fluid_rates(paths, capacity, *round);
        const std::map<std::uint32_t, Delay> round_trips = longest_round_trips(paths, *round);
        double longest = 0;
        for (std::size_t i = 0; i < round->size(); ++i) {
            const Delay round_trip = round_trips.at((*round)[i].group);
            const Duration longest_of_it = longest_time(timing_for(round_trip, 1).meter);
            const double seconds = std::chrono::duration<double>(longest_of_it).count();
            longest = std::max(longest, seconds);
            forecast.bytes += static_cast<std::uint64_t>(rates[i].bits_per_second / 8 * seconds);
        }
        forecast.seconds += longest;
        ++forecast.rounds;
        plan.take(rates);
    }
    return forecast;
}

}  // namespace trellis::plugins::bwtree
