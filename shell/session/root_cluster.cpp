#include "shell/session/root_cluster.hpp"

#include <map>
#include <set>
#include <utility>

namespace trellis {

// Hosts that have been reached already are not logged in to again.
Task<std::vector<ExploreResult>> RootCluster::explore(ExplorePlan plan) {
    std::set<std::string> there;
    for (const auto& [id, member] : membership().members())
        if (member.state != MemberState::lost) there.insert(member.host.name);
    ExploreRequest request;
    for (const std::string& host : plan.hosts)
        if (!there.contains(host)) request.hosts.push_back(host);
    request.rule = std::move(plan.rule);
    request.login_timeout = plan.login_timeout;
    request.limits.fan_out = plan.fan_out;
    request.agent_directory = agent_directory_;
    request.progress = std::move(plan.progress);
    request.suspicion = std::move(plan.suspicion);
    request.attempt = std::move(plan.attempt);
    std::vector<ExploreOutcome> ended;
    if (!request.hosts.empty()) ended = co_await root_.explore(std::move(request));
    std::map<std::string, Outcome> outcomes;
    for (ExploreOutcome& outcome : ended)
        outcomes[outcome.name] = std::move(outcome.outcome);
    std::vector<ExploreResult> results;
    results.reserve(plan.hosts.size());
    for (std::string& host : plan.hosts) {
        Outcome outcome = outcomes[host];  // success, if it was there
        results.push_back({std::move(host), std::move(outcome)});
    }
    co_return results;
}

}  // namespace trellis
