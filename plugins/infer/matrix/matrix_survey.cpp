#include "plugins/infer/matrix/matrix_survey.hpp"

#include "agentd/model/topology_query.hpp"
#include "plugins/infer/matrix/delay_fit.hpp"
#include "plugins/infer/matrix/matrix_inference.hpp"
#include "plugins/infer/survey/survey.hpp"

#include <cmath>

namespace trellis::plugins::infer {
namespace {

// The spread of the minima of three sets, in medians of a pair's error: 3 deviations.
constexpr double spread_per_error = 3 * 1.4826;

std::vector<PairSample> answers(const Batch& batch, const RttMatrix& matrix, const TopologyQuery& near) {
    std::vector<PairSample> samples;
    for (HostNumber a = 0; a < batch.turns.size(); ++a)
        for (const Turn& turn : batch.turns[a]) {
            const HostNumber b = turn.peer;
            if (!turn.measures || !matrix.measured(a, b)) continue;
            const double rtt_us = matrix.rtt_us(a, b);
            const double error_us = std::fabs(rtt_us - 2 * near.distance(a, b).count());
            samples.push_back({a, b, rtt_us, spread_per_error * error_us});
        }
    return samples;
}

}  // namespace

std::optional<SurveyedMatrix> survey_matrix(RttMatrix matrix, const Topology& near) {
    const TopologyQuery query(near);
    Survey survey(matrix.hosts(), SurveyOptions{});
    for (auto batch = survey.next(); batch && batch->pairs() > 0; batch = survey.next())
        survey.take(answers(*batch, matrix, query));
    SurveyedMatrix found{survey.topology(), survey.remarks()};
    if (found.topology.hosts != matrix.hosts() || !validate(found.topology)) return std::nullopt;
    matrix.weigh_relatively();
    (void)fit_delays(found.topology, matrix, relative_loss);
    return found;
}

}  // namespace trellis::plugins::infer
