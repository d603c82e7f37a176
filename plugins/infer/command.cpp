// The shell side of `infer`: starts the roles, keeps the tree travelling when hosts are lost, publishes
// `topology`.
#include "trellis/plugin.hpp"

#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/infer/messages.hpp"
#include "plugins/infer/planner.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <set>

namespace trellis::plugins::infer {
namespace {

// What the root knows of a running inference; pure bookkeeping over the events of the operation.
struct Progress {
    std::vector<Host> hosts;  // as selected
    std::map<HostId, Ready> ready;
    std::map<HostId, std::string> out;  // who takes no part any more, and why
    std::optional<Begin> begin;
    std::size_t placed = 0;
    std::optional<TravellingTree> tree;

    [[nodiscard]] bool everybody_answered() const {
        return ready.size() + out_before_ready() == hosts.size();
    }
    [[nodiscard]] std::size_t out_before_ready() const {
        return static_cast<std::size_t>(std::count_if(
            out.begin(), out.end(), [&](const auto& entry) { return !ready.contains(entry.first); }));
    }
    [[nodiscard]] std::optional<HostNumber> number_of(HostId id) const {
        const auto place = std::find_if(begin->hosts.begin(), begin->hosts.end(),
                                        [&](const auto& participant) { return participant.id == id; });
        if (place == begin->hosts.end()) return std::nullopt;
        return static_cast<HostNumber>(place - begin->hosts.begin());
    }
    [[nodiscard]] std::string name_of(HostId id) const {
        const auto place =
            std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) { return host.id == id; });
        return place == hosts.end() ? "?" : place->name;
    }
};

class InferCommand final : public Command {
  public:
    void declare(OptionSet& options) override {
        options.description("Find the tree of switches between the selected hosts from round-trip times.");
        options.flag("--json", json_, "print the topology as JSON");
        options.flag("--dot", dot_, "print it for Graphviz");
        options.flag("--newick", newick_, "print it in Newick format");
        options.option("--seed", seed_, "seed of the random order of hosts (default: drawn anew)");
        options.option("--method", method_, "how: published (Shirai 2007)").one_of({"published"});
    }
    Task<int> run(CommandContext& context) override;

  private:
    Task<void> follow(CommandContext& context, Operation& operation, Progress& progress);
    void handle(Operation& operation, Progress& progress, HostId from, const ToRoot& message);
    void leave_out(Operation& operation, Progress& progress, HostId host, const std::string& why);
    void begin_if_all_answered(Operation& operation, Progress& progress);
    Task<void> report(CommandContext& context, const Topology& topology, const Progress& progress,
                      Duration taken);
    static std::string render(const Topology& topology, bool dot, bool newick, bool json);

    bool json_ = false;
    bool dot_ = false;
    bool newick_ = false;
    std::uint64_t seed_ = 0;
    std::string method_ = "published";
};

std::vector<HostId> ids_of(const std::vector<Host>& hosts) {
    std::vector<HostId> ids;
    ids.reserve(hosts.size());
    for (const Host& host : hosts)
        ids.push_back(host.id);
    return ids;
}

std::vector<std::string> names_of(const Progress& progress) {
    std::vector<std::string> names;
    for (const auto& participant : progress.begin->hosts)
        names.push_back(progress.name_of(participant.id));
    return names;
}

// The tree without the hosts that were lost after their turn.
Topology topology_of(const Progress& progress) {
    Topology whole = to_topology(*progress.tree, names_of(progress));
    std::set<std::string> lost;
    for (const auto& [host, why] : progress.out)
        lost.insert(progress.name_of(host));
    std::vector<std::string> left;
    for (const std::string& name : whole.hosts)
        if (!lost.contains(name)) left.push_back(name);
    if (left.size() == whole.hosts.size()) return whole;
    return project(whole, left).value();
}

Task<int> InferCommand::run(CommandContext& context) {
    Progress progress;
    progress.hosts = context.selection();
    if (progress.hosts.empty()) {
        context.say("infer: no hosts are selected: reach some with explore first");
        co_return 2;
    }
    if (seed_ == 0) seed_ = std::random_device()();
    OperationRequest request;
    request.kind = "infer";
    request.hosts = ids_of(progress.hosts);
    request.peers = true;
    request.body = encode(InferRequest{});
    const TimePoint started = context.clock().now();
    const auto operation = context.operations().start(std::move(request));
    co_await follow(context, *operation, progress);
    const Duration taken = context.clock().now() - started;
    operation->cancel(CancelLevel::kill);
    for (const auto& [host, why] : progress.out)
        context.say("infer: " + progress.name_of(host) + ": " + why);
    if (!progress.tree) {
        context.say("infer: no topology: every host was lost before the tree was complete");
        co_return 1;
    }
    const auto value = std::make_shared<TopologyValue>(topology_of(progress));
    const Topology& topology = value->topology();
    context.bus().publish("topology", value, topology.hosts);
    co_await report(context, topology, progress, taken);
    co_return topology.hosts.size() == progress.hosts.size() ? 0 : 1;
}

Task<void> InferCommand::follow(CommandContext& context, Operation& operation, Progress& progress) {
    while (!progress.tree) {
        const auto event = co_await operation.next();
        if (!event) break;
        if (const auto* message = std::get_if<HostMessage>(&event->what)) {
            if (const auto news = decode<ToRoot>(message->body))
                handle(operation, progress, event->host, *news);
        } else if (const auto* result = std::get_if<RoleResult>(&event->what)) {
            leave_out(operation, progress, event->host, result->outcome.detail);
        } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event->what);
                   suspicion && suspicion->suspect) {
            leave_out(operation, progress, event->host, "silent");
        }
        begin_if_all_answered(operation, progress);
        context.progress("infer: " + std::to_string(progress.placed) + " of " +
                         std::to_string(progress.hosts.size()) + " hosts placed");
    }
}

void InferCommand::handle(Operation&, Progress& progress, HostId from, const ToRoot& message) {
    if (const auto* ready = std::get_if<Ready>(&message)) {
        progress.ready[from] = *ready;
    } else if (const auto* placed = std::get_if<Placed>(&message)) {
        ++progress.placed;
        if (!placed->inserted) progress.out[from] = "could not be placed: too few hosts answer its probes";
    } else if (progress.begin) {
        const TravellingTree& tree = std::get<Finished>(message).tree;
        if (validate(tree, progress.begin->hosts.size())) progress.tree = tree;
    }
}

void InferCommand::leave_out(Operation& operation, Progress& progress, HostId host, const std::string& why) {
    if (!progress.out.emplace(host, why).second || !progress.begin) return;
    if (const auto number = progress.number_of(host)) {
        const ToRole message = Skip{*number};
        operation.send_all(encode(message));
    }
}

void InferCommand::begin_if_all_answered(Operation& operation, Progress& progress) {
    if (progress.begin || progress.ready.empty() || !progress.everybody_answered()) return;
    Begin begin;
    for (const Host& host : progress.hosts) {
        const auto ready = progress.ready.find(host.id);
        if (ready != progress.ready.end() && !progress.out.contains(host.id)) {
            begin.hosts.push_back({host.id, ready->second});
        }
    }
    begin.seed = seed_;
    begin.order = insertion_order(begin.hosts.size(), seed_);
    progress.begin = begin;
    const ToRole message = std::move(begin);
    operation.send_all(encode(message));
}

std::string InferCommand::render(const Topology& topology, bool dot, bool newick, bool json) {
    if (json) return topology_file(topology);
    if (dot) return topology_dot(topology);
    if (newick) return topology_newick(topology);
    return topology_text(topology);
}

// The pairs are those of all hosts that took part, also of those that were lost before the end: each measures
// only hosts placed before it, so that no pair is measured twice.
Task<void> InferCommand::report(CommandContext& context, const Topology& topology, const Progress& progress,
                                Duration taken) {
    const std::size_t n = progress.begin->hosts.size();
    char line[160];
    std::snprintf(line, sizeof line, "measured %llu of %zu pairs in %.1f s; %zu hosts, %zu switches",
                  static_cast<unsigned long long>(progress.tree->measured_pairs), n * (n - 1) / 2,
                  std::chrono::duration<double>(taken).count(), topology.hosts.size(),
                  topology.switches.size());
    context.say(line);
    co_await context.print(render(topology, dot_, newick_, json_));
}

}  // namespace

CommandEntry command() {
    return {"infer", "find the tree of switches between the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<InferCommand>(); }};
}

}  // namespace trellis::plugins::infer
