// The shell side of `infer`: starts the roles, lets a method find the tree, publishes `topology`.
#include "trellis/plugin.hpp"

#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/infer/published/published_inference.hpp"
#include "plugins/infer/survey/survey.hpp"
#include "plugins/infer/survey/surveyor.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <random>

namespace trellis::plugins::infer {
namespace {

class InferCommand final : public Command {
  public:
    void declare(OptionSet& options) override {
        options.description("Find the tree of switches between the selected hosts from round-trip times.");
        options.flag("--json", json_, "print the topology as JSON");
        options.flag("--dot", dot_, "print it for Graphviz");
        options.flag("--newick", newick_, "print it in Newick format");
        options.option("--seed", seed_, "seed of all that is drawn by lot (default: drawn anew)");
        options.option("--method", method_, "how: survey (the default) or published (Shirai 2007)")
            .one_of({"default", "survey", "published"});
        options.option("--confidence", confidence_, "survey: how sure a link must be to be drawn (0.99)")
            .type_name("P");
        options.flag("--gentle", gentle_, "survey: at most 200 probes a second from one host");
    }
    Task<int> run(CommandContext& context) override;

  private:
    bool read_options(CommandContext& context);
    Task<std::optional<Finding>> infer(CommandContext& context, Roster& roster);
    static Topology placed(const Finding& finding, Roster& roster);
    Task<void> report(CommandContext& context, const Finding& finding, std::size_t participants,
                      const Topology& topology, Duration taken);
    [[nodiscard]] std::string render(const Topology& topology) const;
    [[nodiscard]] Method method() const {
        return method_ == "published" ? Method::published : Method::survey;
    }

    bool json_ = false;
    bool dot_ = false;
    bool newick_ = false;
    bool gentle_ = false;
    std::uint64_t seed_ = 0;
    std::string method_ = "default";
    std::optional<std::string> confidence_;
    SurveyOptions survey_;
};

Task<int> InferCommand::run(CommandContext& context) {
    if (!read_options(context)) co_return 2;
    Roster roster(context.selection());
    if (roster.hosts().empty()) {
        context.say("infer: no hosts are selected: reach some with explore first");
        co_return 2;
    }
    const TimePoint started = context.clock().now();
    const auto finding = co_await infer(context, roster);
    const Duration taken = context.clock().now() - started;
    const Topology topology = finding ? placed(*finding, roster) : Topology();
    for (const auto& [host, why] : roster.out())
        context.say("infer: " + roster.name_of(host) + ": " + why);
    if (!finding) {
        context.say("infer: no topology: every host was lost before the tree was complete");
        co_return 1;
    }
    const auto value = std::make_shared<TopologyValue>(topology);
    context.bus().publish("topology", value, topology.hosts);
    co_await report(context, *finding, roster.participants().size(), topology, taken);
    co_return topology.hosts.size() == roster.hosts().size() ? 0 : 1;
}

// False: what is wrong has been said.
bool InferCommand::read_options(CommandContext& context) {
    if (seed_ == 0) seed_ = std::random_device()();
    survey_.seed = seed_;
    survey_.gentle = gentle_;
    if (method() == Method::published && (gentle_ || confidence_)) {
        context.say("infer: --gentle and --confidence are not for the published method");
        return false;
    }
    if (!confidence_) return true;
    const char* end = confidence_->data() + confidence_->size();
    const auto [rest, error] = std::from_chars(confidence_->data(), end, survey_.confidence);
    if (error == std::errc() && rest == end && survey_.confidence > 0 && survey_.confidence < 1) return true;
    context.say("infer: --confidence " + *confidence_ + ": not a probability between 0 and 1");
    return false;
}

Task<std::optional<Finding>> InferCommand::infer(CommandContext& context, Roster& roster) {
    OperationRequest request;
    request.kind = "infer";
    request.hosts = roster.ids();
    request.peers = true;
    request.body = encode(InferRequest{method()});
    const auto operation = context.operations().start(std::move(request));
    std::optional<Finding> finding;
    if (method() == Method::published) {
        PublishedInference inference(context, *operation, roster, seed_);
        finding = co_await inference.run();
    } else {
        const PlanMaker make = [this](std::vector<std::string> names) {
            return std::make_shared<Survey>(std::move(names), survey_);
        };
        Surveyor surveyor(context, *operation, roster, make, gentle_);
        finding = co_await surveyor.run();
    }
    operation->cancel(CancelLevel::kill);
    co_return finding;
}

// The tree without the hosts that were lost after their turn. Hosts that it lacks are left out in the roster.
Topology InferCommand::placed(const Finding& finding, Roster& roster) {
    const Topology& whole = finding.topology;
    for (const Host& host : roster.hosts())
        if (std::ranges::find(whole.hosts, host.name) == whole.hosts.end())
            roster.leave_out(host.id, "could not be placed: too few of its pairs were measured");
    std::vector<std::string> left;
    for (const Host& host : roster.hosts())
        if (!roster.out().contains(host.id)) left.push_back(host.name);
    if (left.size() == whole.hosts.size()) return whole;
    return left.empty() ? Topology() : project(whole, left).value();
}

std::string InferCommand::render(const Topology& topology) const {
    if (json_) return topology_file(topology);
    if (dot_) return topology_dot(topology);
    if (newick_) return topology_newick(topology);
    return topology_text(topology);
}

// The pairs are those of all hosts that took part, also of those that were lost before the end.
Task<void> InferCommand::report(CommandContext& context, const Finding& finding, std::size_t participants,
                                const Topology& topology, Duration taken) {
    char line[160];
    std::snprintf(line, sizeof line, "measured %llu of %zu pairs in %.1f s; %zu hosts, %zu switches",
                  static_cast<unsigned long long>(finding.measured_pairs),
                  participants * (participants - 1) / 2, std::chrono::duration<double>(taken).count(),
                  topology.hosts.size(), topology.switches.size());
    context.say(line);
    for (const std::string& remark : finding.remarks)
        context.say(remark);
    co_await context.print(render(topology));
}

}  // namespace

CommandEntry command() {
    return {"infer", "find the tree of switches between the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<InferCommand>(); }};
}

}  // namespace trellis::plugins::infer
