#include "plugins/infer/inference.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/changes/placement.hpp"
#include "plugins/infer/published/published_inference.hpp"
#include "plugins/infer/survey/survey.hpp"
#include "plugins/infer/survey/surveyor.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace trellis::plugins::infer {
namespace {

std::string seconds_since(const Clock& clock, TimePoint started) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(clock.now() - started).count());
    return text;
}

// The tree without the hosts that were lost after their turn. Hosts that it lacks are left out in the roster.
Topology of_who_stayed(const Topology& whole, Roster& roster) {
    for (const Host& host : roster.hosts())
        if (std::ranges::find(whole.hosts, host.name) == whole.hosts.end())
            roster.leave_out(host.id, "could not be placed: too few of its pairs were measured");
    std::vector<std::string> left;
    for (const Host& host : roster.hosts())
        if (!roster.out().contains(host.id)) left.push_back(host.name);
    if (left.size() == whole.hosts.size()) return whole;
    return left.empty() ? Topology() : project(whole, left).value();
}

std::string kept_text(const KeptPart& part, std::int64_t age) {
    return "kept the topology of " + std::to_string(part.topology.hosts.size()) + " hosts, measured " +
           age_text(age) + " ago; ";
}

}  // namespace

Task<int> Inference::run() {
    if (!options_.anew() && options_.method() == Method::survey) {
        const std::optional<int> adapted = co_await adapt();
        if (adapted) co_return *adapted;
    }
    co_return co_await measure_all();
}

Task<int> Inference::measure_all() {
    Roster roster(context_.selection());
    const TimePoint started = context_.clock().now();
    const PlanMaker make = [this](std::vector<std::string> names) {
        return std::make_shared<Survey>(std::move(names), options_.survey());
    };
    const auto finding = co_await measure(roster, make);
    const std::string taken = seconds_since(context_.clock(), started);
    const Topology topology = publish(finding ? finding->topology : Topology(), roster, std::nullopt);
    if (!finding) {
        context_.say("infer: no topology: every host was lost before the tree was complete");
        co_return 1;
    }
    // The pairs are those of all hosts that took part, also of those that were lost before the end.
    const std::size_t participants = roster.participants().size();
    context_.say("measured " + std::to_string(finding->measured_pairs) + " of " +
                 std::to_string(participants * (participants - 1) / 2) + " pairs in " + taken + "; " +
                 std::to_string(topology.hosts.size()) + " hosts, " +
                 std::to_string(topology.switches.size()) + " switches");
    for (const std::string& remark : finding->remarks)
        context_.say(remark);
    co_await show(topology);
    co_return topology.hosts.size() == roster.hosts().size() ? 0 : 1;
}

std::optional<KeptPart> Inference::kept() const {
    std::vector<std::string> names;
    for (const Host& host : context_.selection())
        names.push_back(host.name);
    return known_.part_for(names);
}

Task<std::optional<int>> Inference::adapt() {
    const std::optional<KeptPart> part = kept();
    if (!part || !part->worth_keeping() || (part->unchanged() && part->newest)) co_return std::nullopt;
    if (!part->joined.empty()) co_return co_await place(*part);
    known_.publish(part->topology, part->measured);
    context_.say(kept_text(*part, known_.age()) +
                 "nothing was measured (infer --verify says whether it still holds)");
    co_await show(part->topology);
    co_return 0;
}

// Nothing if some host has no sure place.
Task<std::optional<int>> Inference::place(const KeptPart& part) {
    Roster roster(context_.selection());
    const TimePoint started = context_.clock().now();
    std::shared_ptr<Placement> placement;
    const PlanMaker make = [&](std::vector<std::string> names) {
        placement =
            std::make_shared<Placement>(part.topology, std::move(names), options_.survey().confidence);
        return placement;
    };
    const auto finding = co_await measure(roster, make);
    if (!finding || !placement->unplaced().empty()) {
        for (const std::string& remark : finding ? finding->remarks : std::vector<std::string>())
            context_.say(remark);
        context_.say("the topology that is known does not do: all hosts are measured");
        co_return std::nullopt;
    }
    const std::string taken = seconds_since(context_.clock(), started);
    const Topology topology = publish(finding->topology, roster, part.measured);
    context_.say(kept_text(part, known_.age()) + "placed " + fold_hosts(part.joined) + " with " +
                 std::to_string(finding->measured_pairs) + " pairs in " + taken);
    for (const std::string& remark : finding->remarks)
        if (!options_.watch()) context_.say(remark);
    co_await show(topology);
    co_return topology.hosts.size() == roster.hosts().size() ? 0 : 1;
}

Task<std::optional<Finding>> Inference::measure(Roster& roster, const PlanMaker& make) {
    OperationRequest request;
    request.kind = "infer";
    request.hosts = roster.ids();
    request.peers = options_.method() == Method::published;
    request.body = encode(InferRequest{options_.method()});
    const auto operation = context_.operations().start(std::move(request));
    std::optional<Finding> finding;
    if (options_.method() == Method::published) {
        PublishedInference inference(context_, *operation, roster, options_.seed());
        finding = co_await inference.run();
    } else {
        Surveyor surveyor(context_, *operation, roster, make, options_.survey().gentle);
        finding = co_await surveyor.run();
    }
    operation->cancel(CancelLevel::kill);
    co_return finding;
}

// What is left of it, and says who is not; publishes nothing if nobody is left.
Topology Inference::publish(const Topology& whole, Roster& roster, std::optional<std::int64_t> measured) {
    Topology topology = of_who_stayed(whole, roster);
    for (const auto& [host, why] : roster.out())
        context_.say("infer: " + roster.name_of(host) + ": " + why);
    if (!topology.hosts.empty()) known_.publish(topology, measured);
    return topology;
}

Task<void> Inference::show(const Topology& topology) {
    if (!options_.watch()) co_await context_.print(options_.render(topology));
}

}  // namespace trellis::plugins::infer
