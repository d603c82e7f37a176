// Carries out the batches of a plan on a noisy network, without agents or time: each pair by its own round
// trips, undisturbed by the others. Owned by a test.
#pragma once

#include "agentd/model/topology_query.hpp"
#include "plugins/infer/survey/measuring_plan.hpp"
#include "tests/sim/noisy_network.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trellis::sim {

class PlanDriver {
  public:
    // The network outlives it.
    PlanDriver(const NoisyNetwork& network, std::uint64_t seed)
        : network_(network), tree_(network.truth), noise_(network, seed) {}

    // `names`: of the plan's hosts.
    void run(plugins::infer::MeasuringPlan& plan, const std::vector<std::string>& names) {
        using namespace plugins::infer;
        for (auto batch = plan.next(); batch; batch = plan.next()) {
            std::vector<PairSample> samples;
            for (HostNumber a = 0; a < batch->turns.size(); ++a)
                for (const Turn& turn : batch->turns[a])
                    if (turn.measures) samples.push_back(measure(a, turn.peer, names, batch->probing));
            plan.take(samples);
        }
    }

  private:
    plugins::infer::PairSample measure(plugins::infer::HostNumber a, plugins::infer::HostNumber b,
                                       const std::vector<std::string>& names,
                                       const plugins::infer::Probing& probing) {
        const TopologyNode from = *find_node(network_.truth, names[a]);
        const TopologyNode to = *find_node(network_.truth, names[b]);
        const auto path = std::chrono::duration_cast<Duration>(2 * tree_.distance(from, to));
        double least = std::numeric_limits<double>::infinity(), greatest = 0;
        for (int set = 0; set < probing.sets; ++set) {
            Delay minimum{std::numeric_limits<double>::infinity()};
            for (int trip = 0; trip < probing.round_trips; ++trip)
                minimum = std::min<Delay>(minimum, noise_.sample(from, to, TimePoint{}, path));
            least = std::min(least, minimum.count());
            greatest = std::max(greatest, minimum.count());
        }
        return {a, b, least, greatest - least};
    }

    const NoisyNetwork& network_;
    TopologyQuery tree_;
    NoisyRoundTrips noise_;
};

}  // namespace trellis::sim
