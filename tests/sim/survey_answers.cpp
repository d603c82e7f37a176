#include "tests/sim/survey_answers.hpp"

#include "agentd/model/topology_compare.hpp"
#include "plugins/infer/survey/wide_area.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

namespace trellis::sim {

using plugins::infer::Batch;
using plugins::infer::HostNumber;
using plugins::infer::InferenceResult;
using plugins::infer::PairSample;
using plugins::infer::PairTable;
using plugins::infer::Probing;
using plugins::infer::SolvedCluster;
using plugins::infer::SolvedTree;
using plugins::infer::Survey;
using plugins::infer::SurveyOptions;
using plugins::infer::Turn;

SurveyAnswers::SurveyAnswers(const NoisyNetwork& network, std::uint64_t seed)
    : tree_(network.truth), noise_(network, seed) {}

PairSample SurveyAnswers::measure(TopologyNode a, TopologyNode b, const Probing& probing) {
    const auto path = std::chrono::duration_cast<Duration>(2 * tree_.distance(a, b));
    std::vector<double> minima;
    for (int set = 0; set < probing.sets; ++set) {
        Duration least = Duration::max();
        for (int i = 0; i < probing.round_trips; ++i)
            least = std::min(least, noise_.sample(a, b, TimePoint(std::chrono::seconds(1)), path));
        minima.push_back(Delay(least).count());
    }
    const auto [least, greatest] = std::ranges::minmax(minima);
    return {a, b, least, greatest - least};
}

std::vector<PairSample> SurveyAnswers::measure(const Batch& batch) {
    std::vector<PairSample> samples;
    for (HostNumber host = 0; host < batch.turns.size(); ++host)
        for (const Turn& turn : batch.turns[host])
            if (turn.measures) samples.push_back(measure(host, turn.peer, batch.probing));
    return samples;
}

NoisyNetwork one_noise(Topology truth, const NoiseProfile& profile) {
    NoisyNetwork network;
    network.cluster.assign(truth.hosts.size(), 0);
    network.truth = std::move(truth);
    network.profile = {profile};
    return network;
}

PairTable all_pairs(const NoisyNetwork& network, std::uint64_t seed) {
    SurveyAnswers answers(network, seed);
    PairTable table(network.truth.hosts.size());
    for (TopologyNode a = 0; a < table.hosts(); ++a)
        for (TopologyNode b = a + 1; b < table.hosts(); ++b) {
            const PairSample sample = answers.measure(a, b);
            table.add(a, b, sample.rtt_us, sample.spread_us);
        }
    return table;
}

Topology topology_of(const SolvedTree& solved, const std::vector<std::string>& names) {
    std::vector<HostNumber> hosts(names.size());
    std::iota(hosts.begin(), hosts.end(), HostNumber{0});
    const std::vector<SolvedCluster> cluster{{std::move(hosts), solved}};
    return describe(join_clusters(cluster, {}, names.size(), 0.99), cluster, names).topology;
}

InferenceResult survey(const NoisyNetwork& network, const SurveyOptions& options) {
    SurveyAnswers answers(network, options.seed);
    Survey survey(network.truth.hosts, options);
    while (const std::optional<Batch> batch = survey.next())
        survey.take(answers.measure(*batch));
    return {survey.topology(), survey.remarks()};
}

std::string difference(const Topology& truth, const Topology& inferred) {
    if (const Result<void> valid = validate(inferred); !valid) return "invalid: " + valid.error().cause;
    const auto compared = compare_topologies(truth, inferred, {.queries = 1});
    if (!compared) return compared.error().cause;
    std::string wrong;
    if (compared->missed_splits > 0) wrong += std::to_string(compared->missed_splits) + " links missed ";
    if (compared->false_splits > 0) wrong += std::to_string(compared->false_splits) + " links too many ";
    if (!compared->same_groups) wrong += "hosts on other switches";
    return wrong;
}

Delay largest_error(const Topology& truth, const Topology& inferred) {
    const TopologyQuery a(truth), b(inferred);
    Delay largest{0};
    for (TopologyNode i = 0; i < truth.hosts.size(); ++i)
        for (TopologyNode j = 0; j < i; ++j) {
            const Delay error = std::chrono::abs(a.distance(i, j) - b.distance(i, j));
            if (!(error <= largest)) largest = error;  // keeps what is not a number
        }
    return largest;
}

}  // namespace trellis::sim
