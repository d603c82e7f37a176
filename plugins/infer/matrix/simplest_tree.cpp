#include "plugins/infer/matrix/simplest_tree.hpp"

#include "plugins/infer/matrix/matrix_survey.hpp"

#include <optional>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t least_surveyed_hosts = 4;  // fewer have one tree

bool fits_about_as_well(const Residuals& simpler, const Residuals& closest) {
    const auto near = [](double error, double least) { return error <= equal_ratio * least + equal_margin; };
    return near(simpler.median, closest.median) && near(simpler.mean, closest.mean);
}

bool worth_a_survey(const RttMatrix& matrix, const Residuals& closest) {
    return matrix.size() >= least_surveyed_hosts && matrix.size() <= most_surveyed_hosts &&
           closest.percentile_90 <= most_surveyed_error;
}

}  // namespace

Result<SimplestTree> simplest_tree(const RttMatrix& matrix) {
    Result<MatrixInference> closest = infer_from_matrix(matrix);
    if (!closest) return closest.error();
    SimplestTree result{std::move(closest->topology), std::move(closest->residuals), {}};
    if (!worth_a_survey(matrix, result.residuals)) return result;
    std::optional<SurveyedMatrix> surveyed = survey_matrix(matrix, result.topology);
    if (!surveyed || surveyed->topology.switches.size() > result.topology.switches.size()) return result;
    Residuals residuals = residuals_of(surveyed->topology, matrix);
    if (!fits_about_as_well(residuals, result.residuals)) return result;
    return SimplestTree{std::move(surveyed->topology), std::move(residuals), std::move(surveyed->remarks)};
}

}  // namespace trellis::plugins::infer
