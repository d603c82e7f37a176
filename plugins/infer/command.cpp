// The shell side of `infer`: starts the roles, lets a method find the tree, or has it from a file of
// round-trip times; publishes `topology`.
#include "trellis/plugin.hpp"

#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/infer/matrix/matrix_file.hpp"
#include "plugins/infer/published/published_inference.hpp"
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
        options.option("--rtt", rtt_file_, "of the hosts of this file, from its round-trip times (ms)")
            .type_name("FILE");
    }
    Task<int> run(CommandContext& context) override;

  private:
    bool read_options(CommandContext& context);
    bool read_confidence(CommandContext& context);
    Task<int> infer_hosts(CommandContext& context);
    Task<int> infer_file(CommandContext& context);
    Task<std::optional<Finding>> infer(CommandContext& context, Roster& roster);
    static Topology placed(const Finding& finding, Roster& roster);
    Task<void> report(CommandContext& context, const std::string& summary, const Finding& finding,
                      const Topology& topology);
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
    std::optional<std::string> rtt_file_;
    SurveyOptions survey_;
};

double in_seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

std::string summary_of_hosts(const Finding& finding, std::size_t participants, const Topology& topology,
                             Duration taken) {
    char line[160];
    std::snprintf(line, sizeof line, "measured %llu of %zu pairs in %.1f s; %zu hosts, %zu switches",
                  static_cast<unsigned long long>(finding.measured_pairs),
                  participants * (participants - 1) / 2, in_seconds(taken), topology.hosts.size(),
                  topology.switches.size());
    return line;
}

std::string summary_of_file(const Finding& finding, Duration taken) {
    char line[160];
    std::snprintf(line, sizeof line, "tree of %zu hosts from %llu pairs in %.1f s; %zu switches",
                  finding.topology.hosts.size(), static_cast<unsigned long long>(finding.measured_pairs),
                  in_seconds(taken), finding.topology.switches.size());
    return line;
}

Task<int> InferCommand::run(CommandContext& context) {
    if (!read_options(context)) co_return 2;
    if (rtt_file_) co_return co_await infer_file(context);
    co_return co_await infer_hosts(context);
}

Task<int> InferCommand::infer_hosts(CommandContext& context) {
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
    // The pairs are those of all hosts that took part, also of those that were lost before the end.
    const std::string summary = summary_of_hosts(*finding, roster.participants().size(), topology, taken);
    co_await report(context, summary, *finding, topology);
    co_return topology.hosts.size() == roster.hosts().size() ? 0 : 1;
}

Task<int> InferCommand::infer_file(CommandContext& context) {
    const TimePoint started = context.clock().now();
    const Result<Finding> finding = infer_from_file(*rtt_file_);
    if (!finding) {
        context.say("infer: " + finding.error().message());
        co_return 1;
    }
    const std::string summary = summary_of_file(*finding, context.clock().now() - started);
    co_await report(context, summary, *finding, finding->topology);
    co_return 0;
}

// False: what is wrong has been said.
bool InferCommand::read_options(CommandContext& context) {
    const bool tuned = gentle_ || confidence_;
    if (rtt_file_ && (tuned || seed_ != 0 || method_ != "default")) {
        context.say(
            "infer: --rtt measures nothing: --method, --confidence, --gentle and --seed are not for it");
        return false;
    }
    if (method() == Method::published && tuned) {
        context.say("infer: --gentle and --confidence are not for the published method");
        return false;
    }
    if (seed_ == 0) seed_ = std::random_device()();
    survey_.seed = seed_;
    survey_.gentle = gentle_;
    return !confidence_ || read_confidence(context);
}

bool InferCommand::read_confidence(CommandContext& context) {
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
        Surveyor surveyor(context, *operation, roster, survey_);
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

Task<void> InferCommand::report(CommandContext& context, const std::string& summary, const Finding& finding,
                                const Topology& topology) {
    context.bus().publish("topology", std::make_shared<TopologyValue>(topology), topology.hosts);
    context.say(summary);
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
