#include "tests/bench/infer_planner.hpp"

#include "plugins/infer/survey/survey.hpp"
#include "tests/sim/plan_driver.hpp"

namespace trellis {

InferTrial try_planner(const sim::NoisyNetwork& network, std::uint64_t seed) {
    const std::vector<std::string>& names = network.truth.hosts;
    InferTrial trial;
    trial.seed = seed;
    plugins::infer::SurveyOptions options;
    options.seed = seed;
    plugins::infer::Survey survey(names, options);
    sim::PlanDriver driver(network, seed);
    driver.run(survey, names);
    const std::clock_t begun = std::clock();
    const Topology inferred = survey.topology();
    trial.planner_seconds =
        driver.planner_seconds() + static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    trial.peak_mib = peak_memory_mib();
    if (network.profile.size() == 1) {
        trial.pairs_inside = survey.measured_pairs();
        trial.all_inside = names.size() * (names.size() - 1) / 2;
    }
    trial.ended = !inferred.hosts.empty();
    if (trial.ended) trial.score = sim::score_inference(network, inferred, score_questions, seed);
    return trial;
}

}  // namespace trellis
