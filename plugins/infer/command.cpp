// The shell side of `infer`: starts the roles, lets a method find the tree or what changed of it, or has it
// from a file of round-trip times; publishes `topology`.
#include "trellis/plugin.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/infer/kept_part.hpp"
#include "plugins/infer/matrix/matrix_file.hpp"
#include "plugins/infer/published/published_inference.hpp"
#include "plugins/infer/survey/placement.hpp"
#include "plugins/infer/survey/survey.hpp"
#include "plugins/infer/survey/surveyor.hpp"
#include "plugins/infer/survey/verification.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <random>

namespace trellis::plugins::infer {
namespace {

// Of a verification.
struct Verdict {
    std::vector<std::string> moved;  // or lost
    std::vector<std::string> lines;  // for the user
};

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
        options.flag("--anew", anew_, "measure all hosts, whatever is known of some of them");
        options.flag("--verify", verify_, "only say whether the topology still holds, by a few pairs")
            .excludes("--anew");
        options
            .option("--watch", watch_,
                    "verify every so many seconds (10), and find what changed, until Ctrl-C")
            .type_name("SECONDS")
            .words(0, 1)
            .excludes("--verify");
    }
    Task<int> run(CommandContext& context) override;

  private:
    bool read_options(CommandContext& context);
    bool read_interval(CommandContext& context);
    Task<int> find_anew(CommandContext& context);
    Task<std::optional<int>> adapt(CommandContext& context);
    Task<std::optional<int>> place(CommandContext& context, const KeptPart& kept);
    Task<int> verify(CommandContext& context);
    Task<Verdict> find_moved(CommandContext& context, const Topology& known);
    Task<int> watch(CommandContext& context);
    Task<void> look(CommandContext& context);
    [[nodiscard]] std::optional<KeptPart> kept(CommandContext& context) const;
    Task<std::optional<Finding>> measure(CommandContext& context, Roster& roster, const PlanMaker& make);
    static Topology placed(const Topology& whole, Roster& roster);
    static Topology publish(CommandContext& context, const Topology& whole, Roster& roster);
    Task<void> report(CommandContext& context, const std::string& summary, const Finding& finding,
                      const Topology& topology);
    Task<int> infer_file(CommandContext& context);
    bool read_confidence(CommandContext& context);
    Task<void> show(CommandContext& context, const Topology& topology);
    [[nodiscard]] std::string render(const Topology& topology) const;
    [[nodiscard]] Method method() const {
        return method_ == "published" ? Method::published : Method::survey;
    }

    bool json_ = false;
    bool dot_ = false;
    bool newick_ = false;
    bool gentle_ = false;
    bool anew_ = false;
    bool verify_ = false;
    std::optional<std::string> watch_;
    Duration interval_ = std::chrono::seconds(10);
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
    if (!read_options(context) || !read_interval(context)) co_return 2;
    if (rtt_file_) co_return co_await infer_file(context);
    if (context.selection().empty()) {
        context.say("infer: no hosts are selected: reach some with explore first");
        co_return 2;
    }
    if (watch_) co_return co_await watch(context);
    if (verify_) co_return co_await verify(context);
    if (!anew_ && method() == Method::survey) {
        const std::optional<int> adapted = co_await adapt(context);
        if (adapted) co_return *adapted;
    }
    co_return co_await find_anew(context);
}

Task<int> InferCommand::find_anew(CommandContext& context) {
    Roster roster(context.selection());
    const TimePoint started = context.clock().now();
    const PlanMaker make = [this](std::vector<std::string> names) {
        return std::make_shared<Survey>(std::move(names), survey_);
    };
    const auto finding = co_await measure(context, roster, make);
    const Duration taken = context.clock().now() - started;
    const Topology topology = publish(context, finding ? finding->topology : Topology(), roster);
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
    const Topology& topology = finding->topology;
    context.bus().publish("topology", std::make_shared<TopologyValue>(topology), topology.hosts);
    const std::string summary = summary_of_file(*finding, context.clock().now() - started);
    co_await report(context, summary, *finding, topology);
    co_return 0;
}

// Until Ctrl-C, which ends run().
Task<int> InferCommand::watch(CommandContext& context) {
    for (;;) {
        co_await look(context);
        co_await context.clock().sleep(interval_);
    }
}

// At hosts that came and went, else at whether those that stayed are where they were. Those that moved are
// taken out of the topology, to be placed again.
Task<void> InferCommand::look(CommandContext& context) {
    if (context.selection().empty()) co_return;
    std::optional<KeptPart> part = kept(context);
    if (part && part->unchanged()) {
        const Verdict verdict = co_await find_moved(context, part->topology);
        if (verdict.moved.empty()) co_return;
        for (const std::string& line : verdict.lines)
            context.say(line);
        std::vector<std::string> stayed = part->topology.hosts;
        std::erase_if(stayed,
                      [&](const std::string& name) { return std::ranges::count(verdict.moved, name) > 0; });
        const Topology rest = project(part->topology, stayed).value();
        context.bus().publish("topology", std::make_shared<TopologyValue>(rest), rest.hosts);
    }
    const std::optional<int> adapted = co_await adapt(context);
    if (!adapted) co_await find_anew(context);
}

// What is known of the selected hosts; nothing if there is no topology.
std::optional<KeptPart> InferCommand::kept(CommandContext& context) const {
    const auto known = context.bus().get<TopologyValue>("topology");
    if (!known) return std::nullopt;
    std::vector<std::string> names;
    for (const Host& host : context.selection())
        names.push_back(host.name);
    return kept_part(known->topology(), names);
}

// The exit status if the known topology could be made that of the selection; nothing if all has to be
// measured. Who asks again for the same hosts wants them measured again.
Task<std::optional<int>> InferCommand::adapt(CommandContext& context) {
    const std::optional<KeptPart> part = kept(context);
    if (!part || part->unchanged() || !part->worth_keeping()) co_return std::nullopt;
    if (!part->joined.empty()) co_return co_await place(context, *part);
    const auto value = std::make_shared<TopologyValue>(part->topology);
    context.bus().publish("topology", value, part->topology.hosts);
    context.say("kept the topology of " + std::to_string(part->topology.hosts.size()) +
                " hosts; nothing was measured (infer --verify says whether it still holds)");
    co_await show(context, part->topology);
    co_return 0;
}

// Nothing if some host has no sure place.
Task<std::optional<int>> InferCommand::place(CommandContext& context, const KeptPart& part) {
    Roster roster(context.selection());
    const TimePoint started = context.clock().now();
    std::shared_ptr<Placement> placement;
    const PlanMaker make = [&](std::vector<std::string> names) {
        placement = std::make_shared<Placement>(part.topology, std::move(names), survey_.confidence);
        return placement;
    };
    const auto finding = co_await measure(context, roster, make);
    if (!finding || !placement->unplaced().empty()) {
        for (const std::string& remark : finding ? finding->remarks : std::vector<std::string>())
            context.say(remark);
        context.say("the topology that is known does not do: all hosts are measured");
        co_return std::nullopt;
    }
    const double seconds = std::chrono::duration<double>(context.clock().now() - started).count();
    const Topology topology = publish(context, finding->topology, roster);
    char cost[80];
    std::snprintf(cost, sizeof cost, " with %zu pairs in %.1f s",
                  static_cast<std::size_t>(finding->measured_pairs), seconds);
    context.say("kept the topology of " + std::to_string(part.topology.hosts.size()) + " hosts; placed " +
                fold_hosts(part.joined) + cost);
    for (const std::string& remark : finding->remarks)
        if (!watch_) context.say(remark);
    co_await show(context, topology);
    co_return topology.hosts.size() == roster.hosts().size() ? 0 : 1;
}

Task<int> InferCommand::verify(CommandContext& context) {
    const std::optional<KeptPart> part = kept(context);
    if (!part || part->topology.hosts.size() < 2) {
        context.say("infer: --verify: no topology of these hosts is known: run infer");
        co_return 2;
    }
    const Verdict verdict = co_await find_moved(context, part->topology);
    for (const std::string& line : verdict.lines)
        context.say(line);
    if (!part->joined.empty()) context.say("not in the topology: " + fold_hosts(part->joined));
    if (verdict.moved.empty() && part->joined.empty()) {
        context.say("the topology of " + std::to_string(part->topology.hosts.size()) + " hosts holds");
        co_return 0;
    }
    context.say("the topology does not hold: run infer" +
                std::string(verdict.moved.empty() ? "" : " --anew"));
    co_return 1;
}

// Hosts that are lost meanwhile count as moved.
Task<Verdict> InferCommand::find_moved(CommandContext& context, const Topology& known) {
    std::vector<Host> hosts = context.selection();
    std::erase_if(hosts, [&](const Host& host) {
        return std::ranges::find(known.hosts, host.name) == known.hosts.end();
    });
    Roster roster(std::move(hosts));
    std::shared_ptr<Verification> verification;
    const PlanMaker make = [&](std::vector<std::string> names) {
        verification = std::make_shared<Verification>(known, std::move(names), seed_);
        return verification;
    };
    const auto finding = co_await measure(context, roster, make);
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

// False: what is wrong has been said.
bool InferCommand::read_options(CommandContext& context) {
    const bool tuned = gentle_ || confidence_;
    if (rtt_file_ && (tuned || seed_ != 0 || method_ != "default")) {
        context.say(
            "infer: --rtt measures nothing: --method, --confidence, --gentle and --seed are not for it");
        return false;
    }
    if (rtt_file_ && (anew_ || verify_ || watch_)) {
        context.say("infer: --rtt measures nothing: --anew, --verify and --watch are not for it");
        return false;
    }
    if (method() == Method::published && (tuned || verify_ || watch_)) {
        context.say("infer: --gentle, --confidence, --verify and --watch are not for the published method");
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

bool InferCommand::read_interval(CommandContext& context) {
    if (!watch_ || watch_->empty()) return true;
    double seconds = 0;
    const char* end = watch_->data() + watch_->size();
    const auto [rest, error] = std::from_chars(watch_->data(), end, seconds);
    const bool good = error == std::errc() && rest == end && seconds >= 0.1 && seconds <= 1e6;
    if (good)
        interval_ = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    else
        context.say("infer: --watch " + *watch_ + ": not a number of seconds");
    return good;
}

// `make`: of the default method; the published one needs none.
Task<std::optional<Finding>> InferCommand::measure(CommandContext& context, Roster& roster,
                                                   const PlanMaker& make) {
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
        Surveyor surveyor(context, *operation, roster, make, gentle_);
        finding = co_await surveyor.run();
    }
    operation->cancel(CancelLevel::kill);
    co_return finding;
}

// The tree without the hosts that were lost after their turn. Hosts that it lacks are left out in the roster.
Topology InferCommand::placed(const Topology& whole, Roster& roster) {
    for (const Host& host : roster.hosts())
        if (std::ranges::find(whole.hosts, host.name) == whole.hosts.end())
            roster.leave_out(host.id, "could not be placed: too few of its pairs were measured");
    std::vector<std::string> left;
    for (const Host& host : roster.hosts())
        if (!roster.out().contains(host.id)) left.push_back(host.name);
    if (left.size() == whole.hosts.size()) return whole;
    return left.empty() ? Topology() : project(whole, left).value();
}

// What is left of it, and says who is not; publishes nothing if nobody is left.
Topology InferCommand::publish(CommandContext& context, const Topology& whole, Roster& roster) {
    Topology topology = placed(whole, roster);
    for (const auto& [host, why] : roster.out())
        context.say("infer: " + roster.name_of(host) + ": " + why);
    if (!topology.hosts.empty())
        context.bus().publish("topology", std::make_shared<TopologyValue>(topology), topology.hosts);
    return topology;
}

std::string InferCommand::render(const Topology& topology) const {
    if (json_) return topology_file(topology);
    if (dot_) return topology_dot(topology);
    if (newick_) return topology_newick(topology);
    return topology_text(topology);
}

Task<void> InferCommand::report(CommandContext& context, const std::string& summary, const Finding& finding,
                                const Topology& topology) {
    context.say(summary);
    for (const std::string& remark : finding.remarks)
        context.say(remark);
    co_await show(context, topology);
}

Task<void> InferCommand::show(CommandContext& context, const Topology& topology) {
    if (!watch_) co_await context.print(render(topology));
}

}  // namespace

CommandEntry command() {
    return {"infer", "find the tree of switches between the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<InferCommand>(); }};
}

}  // namespace trellis::plugins::infer
