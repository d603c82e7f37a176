// The shell side of `bwtree`.
#include "trellis/plugin.hpp"

#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/bwtree/bwtree_options.hpp"
#include "plugins/bwtree/conductor.hpp"
#include "plugins/bwtree/forecast.hpp"
#include "plugins/bwtree/published_plan.hpp"
#include "plugins/bwtree/saturating_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis::plugins::bwtree {
namespace {

std::string bytes_text(std::uint64_t bytes) {
    char text[32];
    const auto number = static_cast<double>(bytes);
    if (number < 1e9) {
        std::snprintf(text, sizeof text, "%.0f MB", number / 1e6);
    } else {
        std::snprintf(text, sizeof text, "%.2f GB", number / 1e9);
    }
    return text;
}

// Something is known of each direction of each link.
bool all_known(const TopologyBandwidth& tree) {
    return std::ranges::none_of(tree.links, [](const auto& link) {
        return std::ranges::count(link, LinkBandwidth::Kind::not_measured, &LinkBandwidth::kind) > 0;
    });
}

std::string dump(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class BwtreeCommand final : public Command {
  public:
    void declare(OptionSet& options) override { options_.declare(options); }
    Task<int> run(CommandContext& context) override;

  private:
    Task<int> query(CommandContext& context);
    Task<int> foretell(CommandContext& context, const Topology& topology);
    Task<int> measure(CommandContext& context, Topology topology);
    std::unique_ptr<MeasuringPlan> make_plan(const Topology& topology) const;
    static Result<Topology> topology_of(CommandContext& context);
    static bool say_missed(CommandContext& context, const Conducted& done, const TopologyBandwidth& found);
    void say_summary(CommandContext& context, const Conducted& done, const TopologyBandwidth& found,
                     Duration taken) const;

    BwtreeOptions options_;
};

Task<int> BwtreeCommand::run(CommandContext& context) {
    if (const auto wrong = options_.complete()) {
        context.say("bwtree: " + *wrong);
        co_return 2;
    }
    if (!options_.query().empty()) co_return co_await query(context);
    Result<Topology> topology = topology_of(context);
    if (!topology) {
        context.say(topology.error().message());
        co_return 2;
    }
    if (options_.plan()) co_return co_await foretell(context, *topology);
    co_return co_await measure(context, std::move(*topology));
}

// That of the bus, as the selected hosts see it.
Result<Topology> BwtreeCommand::topology_of(CommandContext& context) {
    std::vector<std::string> names;
    for (const Host& host : context.selection())
        names.push_back(host.name);
    if (names.size() < 2) return unavailable("bwtree needs two hosts or more: reach some with explore");
    const auto known = context.bus().get<TopologyValue>(TopologyValue::type_name);
    const char* missing = "bwtree needs a topology of these hosts: run infer";
    if (!known) return unavailable(missing);
    Result<Topology> topology = project(known->topology(), names);
    if (!topology) return unavailable(missing);
    return topology;
}

std::unique_ptr<MeasuringPlan> BwtreeCommand::make_plan(const Topology& topology) const {
    if (options_.published()) return std::make_unique<PublishedPlan>(topology);
    return std::make_unique<SaturatingPlan>(topology);
}

// Carries the plan out in a network of the rates that were measured before, where these are of the same tree.
Task<int> BwtreeCommand::foretell(CommandContext& context, const Topology& topology) {
    const auto known = context.bus().get<BandwidthValue>(BandwidthValue::type_name);
    const bool same = known && known->tree().topology == topology;
    const Forecast forecast = foretold(topology, same ? &known->tree() : nullptr, *make_plan(topology));
    char text[160];
    std::snprintf(text, sizeof text, "about %zu rounds, %s, %.0f s; %s", forecast.rounds,
                  bytes_text(forecast.bytes).c_str(), std::ceil(forecast.seconds),
                  same ? "by what was measured before" : "supposing 1 Gbit/s on every link");
    std::string line = text;
    if (options_.budget() != UINT64_MAX) line += ", and at most " + bytes_text(options_.budget());
    co_await context.print(line + "\n");
    co_return 0;
}

Task<int> BwtreeCommand::measure(CommandContext& context, Topology topology) {
    const TimePoint started = context.clock().now();
    std::vector<Host> hosts = context.selection();
    OperationRequest request;
    request.kind = "bwtree";
    request.peers = true;
    for (const Host& host : hosts)
        request.hosts.push_back(host.id);
    const auto operation = context.operations().start(std::move(request));
    const auto plan = make_plan(topology);
    Conductor conductor(context, *operation, topology, std::move(hosts), *plan, options_.budget());
    co_await conductor.run();
    operation->cancel(CancelLevel::kill);
    const Conducted& done = conductor.conducted();
    for (const auto& [host, why] : done.out)
        context.say("bwtree: " + topology.hosts[host] + ": " + why);
    const auto value = std::make_shared<BandwidthValue>(plan->result());
    const bool missed = say_missed(context, done, value->tree());
    say_summary(context, done, value->tree(), context.clock().now() - started);
    context.bus().publish("bandwidth", value, topology.hosts);
    std::string text = options_.json() ? dump(value->to_json()) : value->to_text();
    co_await context.print(std::move(text));
    co_return done.out.empty() && !missed && done.failures == 0 && !done.budget_spent ? 0 : 1;
}

// The hosts that were silent in their turn; whether links have no figure for that.
bool BwtreeCommand::say_missed(CommandContext& context, const Conducted& done,
                               const TopologyBandwidth& found) {
    if (done.back.empty() || all_known(found)) return false;
    for (const TopologyNode host : done.back)
        context.say("bwtree: " + found.topology.hosts[host] +
                    ": was silent for a while: not all is measured");
    return true;
}

void BwtreeCommand::say_summary(CommandContext& context, const Conducted& done,
                                const TopologyBandwidth& found, Duration taken) const {
    std::size_t measured = 0;
    for (const auto& link : found.links)
        measured += static_cast<std::size_t>(
            std::ranges::count(link, LinkBandwidth::Kind::measured, &LinkBandwidth::kind));
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f s", std::chrono::duration<double>(taken).count());
    context.say("measured " + std::to_string(measured) + " of " + std::to_string(2 * found.links.size()) +
                " directions of links in " + std::to_string(done.rounds) + " rounds, " + seconds + "; " +
                bytes_text(done.bytes) + " sent");
    if (done.failures > 0)
        context.say("bwtree: " + std::to_string(done.failures) + " flows failed, the first: " + done.failure);
    if (done.budget_spent)
        context.say("bwtree: the budget is spent: not all that was to be measured has been");
}

Task<int> BwtreeCommand::query(CommandContext& context) {
    const auto known = context.bus().get<BandwidthValue>(BandwidthValue::type_name);
    if (!known) {
        context.say("bwtree: no bandwidth is known: run bwtree");
        co_return 2;
    }
    const std::string& a = options_.query()[0];
    const std::string& b = options_.query()[1];
    const auto there = bandwidth_between(known->tree(), a, b);
    if (!there) {
        context.say("bwtree: " + there.error().message());
        co_return 2;
    }
    const LinkBandwidth back = bandwidth_between(known->tree(), b, a).value();
    std::string text = a + " to " + b + ": " + bandwidth_text(*there) + "\n" + b + " to " + a + ": " +
                       bandwidth_text(back) + "\n";
    if (options_.json()) {
        const nlohmann::json json{{"a", a},
                                  {"b", b},
                                  {"a_to_b", link_bandwidth_to_json(*there)},
                                  {"b_to_a", link_bandwidth_to_json(back)}};
        text = dump(json);
    }
    co_await context.print(std::move(text));
    co_return 0;
}

}  // namespace

CommandEntry command() {
    return {"bwtree", "measure the bandwidth of every link of the tree that infer found",
            []() -> std::unique_ptr<Command> { return std::make_unique<BwtreeCommand>(); }};
}

}  // namespace trellis::plugins::bwtree
