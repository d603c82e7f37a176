#include "shell/root_cluster.hpp"

#include <utility>

namespace trellis {

Task<std::vector<ExploreResult>> RootCluster::explore(ExplorePlan plan) {
    ExploreRequest request;
    request.hosts = std::move(plan.hosts);
    request.rule = std::move(plan.rule);
    request.login_timeout = plan.login_timeout;
    request.agent_directory = agent_directory_;
    request.progress = std::move(plan.progress);
    request.suspicion = std::move(plan.suspicion);
    auto outcomes = co_await root_.explore(std::move(request));
    std::vector<ExploreResult> results;
    results.reserve(outcomes.size());
    for (ExploreOutcome& outcome : outcomes)
        results.push_back({std::move(outcome.name), std::move(outcome.outcome)});
    co_return results;
}

}  // namespace trellis
