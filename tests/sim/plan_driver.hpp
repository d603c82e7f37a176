// Carries out the batches of a plan on a noisy network, without agents or time: each pair by its own round
// trips, undisturbed by the others. Owned by a test or a benchmark.
#pragma once

#include "plugins/infer/survey/measuring_plan.hpp"
#include "tests/sim/noisy_network.hpp"
#include "tests/sim/survey_answers.hpp"

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace trellis::sim {

class PlanDriver {
  public:
    // The network outlives it.
    PlanDriver(const NoisyNetwork& network, std::uint64_t seed) : answers_(network, seed) {
        for (TopologyNode host = 0; host < network.truth.hosts.size(); ++host)
            host_[network.truth.hosts[host]] = host;
    }

    // `names`: of the plan's hosts, which are some of the network's.
    void run(plugins::infer::MeasuringPlan& plan, const std::vector<std::string>& names) {
        std::vector<TopologyNode> hosts;
        for (const std::string& name : names)
            hosts.push_back(host_.at(name));
        for (auto batch = next(plan); batch; batch = next(plan)) {
            const std::vector<plugins::infer::PairSample> samples = measure(*batch, hosts);
            const std::clock_t begun = std::clock();
            plan.take(samples);
            planning_ += std::clock() - begun;
        }
    }
    // Processor time of the plans' own calls.
    [[nodiscard]] double planner_seconds() const { return static_cast<double>(planning_) / CLOCKS_PER_SEC; }

  private:
    std::optional<plugins::infer::Batch> next(plugins::infer::MeasuringPlan& plan) {
        const std::clock_t begun = std::clock();
        auto batch = plan.next();
        planning_ += std::clock() - begun;
        return batch;
    }
    std::vector<plugins::infer::PairSample> measure(const plugins::infer::Batch& batch,
                                                    const std::vector<TopologyNode>& hosts) {
        std::vector<plugins::infer::PairSample> samples;
        for (plugins::infer::HostNumber a = 0; a < batch.turns.size(); ++a)
            for (const plugins::infer::Turn& turn : batch.turns[a]) {
                if (!turn.measures) continue;
                samples.push_back(answers_.measure(hosts[a], hosts[turn.peer], batch.probing));
                samples.back().a = a;
                samples.back().b = turn.peer;
            }
        return samples;
    }

    SurveyAnswers answers_;
    std::unordered_map<std::string, TopologyNode> host_;
    std::clock_t planning_ = 0;
};

}  // namespace trellis::sim
