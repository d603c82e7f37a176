#include "plugins/infer/upkeep.hpp"

#include "agentd/model/host_range.hpp"
#include "plugins/infer/changes/verification.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace trellis::plugins::infer {

Task<int> Upkeep::verify() {
    const std::optional<KeptPart> part = inference_.kept();
    if (!part || part->topology.hosts.size() < 2) {
        context_.say("infer: --verify: no topology of these hosts is known: run infer");
        co_return 2;
    }
    const Verdict verdict = co_await find_moved(part->topology);
    for (const std::string& line : verdict.lines)
        context_.say(line);
    if (!part->joined.empty()) context_.say("not in the topology: " + fold_hosts(part->joined));
    if (verdict.moved.empty() && part->joined.empty()) {
        context_.say("the topology of " + std::to_string(part->topology.hosts.size()) + " hosts holds");
        co_return 0;
    }
    context_.say("the topology does not hold: run infer" +
                 std::string(verdict.moved.empty() ? "" : " --anew"));
    co_return 1;
}

Task<void> Upkeep::watch() {
    for (;;) {
        co_await look();
        co_await context_.clock().sleep(options_.interval());
    }
}

// At hosts that came and went, else at whether those that stayed are where they were. Those that moved are
// forgotten, to be placed again.
Task<void> Upkeep::look() {
    if (context_.selection().empty()) co_return;
    const std::optional<KeptPart> part = inference_.kept();
    if (part && part->unchanged() && part->newest) {
        const Verdict verdict = co_await find_moved(part->topology);
        if (verdict.moved.empty()) co_return;
        for (const std::string& line : verdict.lines)
            context_.say(line);
        inference_.known().forget(verdict.moved);
    }
    const std::optional<int> adapted = co_await inference_.adapt();
    if (!adapted) co_await inference_.measure_all();
}

// Hosts that are lost meanwhile count as moved.
Task<Upkeep::Verdict> Upkeep::find_moved(const Topology& known) {
    std::vector<Host> hosts = context_.selection();
    std::erase_if(hosts, [&](const Host& host) {
        return std::ranges::find(known.hosts, host.name) == known.hosts.end();
    });
    Roster roster(std::move(hosts));
    std::shared_ptr<Verification> verification;
    const PlanMaker make = [&](std::vector<std::string> names) {
        verification = std::make_shared<Verification>(known, std::move(names), options_.seed());
        return verification;
    };
    const auto finding = co_await inference_.measure(roster, make);
    Verdict verdict;
    if (finding) {
        verdict.moved = verification->moved();
        verdict.lines = finding->remarks;
    }
    for (const auto& [host, why] : roster.out()) {
        verdict.lines.push_back("infer: " + roster.name_of(host) + ": " + why);
        verdict.moved.push_back(roster.name_of(host));
    }
    co_return verdict;
}

}  // namespace trellis::plugins::infer
