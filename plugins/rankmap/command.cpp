// The shell side of `rankmap`, which has no other: it needs nothing of the hosts but their tree.
#include "trellis/plugin.hpp"

#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/host_range.hpp"
#include "agentd/model/rank_order.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/rankmap/placing.hpp"
#include "plugins/rankmap/rankmap_options.hpp"
#include "plugins/rankmap/report.hpp"
#include "plugins/rankmap/traffic_patterns.hpp"
#include "plugins/rankmap/traffic_text.hpp"
#include "plugins/rankmap/written_file.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis::plugins::rankmap {
namespace {

struct Answer {
    RankOrder order;
    std::vector<Placed> placed;  // by each method that was compared
};

class RankmapCommand final : public Command {
  public:
    void declare(OptionSet& options) override { options_.declare(options); }
    [[nodiscard]] bool reads_input() const override { return true; }
    Task<int> run(CommandContext& context) override;

  private:
    Task<Result<Answer>> answer(CommandContext& context);
    Result<Site> site(CommandContext& context) const;
    Result<Traffic> traffic(CommandContext& context, const Site& site) const;
    [[nodiscard]] Result<Traffic> built_in_traffic(std::size_t ranks) const;
    Result<Traffic> traffic_in_file(FileStore& files) const;
    [[nodiscard]] std::string pattern() const { return options_.pattern().value_or("ring"); }
    [[nodiscard]] std::vector<Method> methods() const;
    [[nodiscard]] Result<std::string> text(const Answer& answer) const;
    Task<Result<int>> deliver(CommandContext& context, const Answer& answer) const;
    Task<Result<int>> launch(CommandContext& context, const RankOrder& order, std::string path) const;

    RankmapOptions options_;
};

// Of these, those that the topology lacks.
std::vector<std::string> unknown_hosts(const Topology& topology, std::vector<std::string> names) {
    std::vector<std::string> known = topology.hosts;
    std::ranges::sort(known);
    std::erase_if(names, [&](const std::string& name) { return std::ranges::binary_search(known, name); });
    return names;
}

// Of the topology, those that the session has lost.
std::vector<std::string> lost_hosts(const Bus& bus, const Topology& topology) {
    std::vector<std::string> lost;
    const Retained* hosts = bus.find("hosts");
    if (hosts == nullptr) return lost;
    for (const nlohmann::json& host : hosts->value->to_json())
        if (host.value("state", "") == "lost") lost.push_back(host.value("name", ""));
    std::erase_if(lost, [&](const std::string& name) { return !find_node(topology, name); });
    return lost;
}

Result<Site> RankmapCommand::site(CommandContext& context) const {
    const auto known = context.bus().get<TopologyValue>(TopologyValue::type_name);
    if (!known) return unavailable("no topology is known: run infer");
    std::vector<std::string> names;
    for (const Host& host : context.selection())
        names.push_back(host.name);
    if (options_.hosts()) names = *options_.hosts();
    if (names.empty())
        return unavailable("no hosts: reach some with explore, or name those of the topology by --hosts");
    const std::vector<std::string> unknown = unknown_hosts(known->topology(), names);
    if (!unknown.empty()) return unavailable("the topology lacks " + fold_hosts(unknown) + ": run infer");
    Result<Topology> topology = project(known->topology(), names);
    if (!topology) return topology.error();
    auto slots = options_.slots().of(topology->hosts);
    if (!slots) return invalid("--slots: " + slots.error().message());
    if (!options_.hosts())
        if (const auto lost = lost_hosts(context.bus(), known->topology()); !lost.empty())
            context.say("rankmap: left out, as they are lost: " + fold_hosts(lost));
    return Site{std::move(*topology), std::move(*slots)};
}

Result<Traffic> RankmapCommand::built_in_traffic(std::size_t ranks) const {
    if (ranks == 0 || ranks > most_ranks)
        return invalid(std::to_string(ranks) + " ranks; 1 to " + std::to_string(most_ranks) +
                       " can be placed");
    Result<Traffic> traffic = pattern_traffic(pattern(), ranks);
    if (!traffic) return invalid("--pattern: " + traffic.error().cause);
    return traffic;
}

Result<Traffic> RankmapCommand::traffic_in_file(FileStore& files) const {
    const auto file = files.open(pattern());
    if (!file) return invalid("--pattern " + file.error().message());
    const auto text = (*file)->read(0, most_traffic_bytes + 1);
    if (!text) return invalid("--pattern " + text.error().message());
    Result<Traffic> traffic = parse_traffic(*text);
    if (!traffic) return invalid(pattern() + ": " + traffic.error().cause);
    if (options_.ranks() && traffic->ranks() != *options_.ranks())
        return invalid(pattern() + " is of " + std::to_string(traffic->ranks()) + " ranks, --np says " +
                       std::to_string(*options_.ranks()));
    return traffic;
}

Result<Traffic> RankmapCommand::traffic(CommandContext& context, const Site& site) const {
    const std::size_t room = site.room();
    const bool built_in = std::ranges::find(pattern_names, pattern()) != pattern_names.end();
    Result<Traffic> traffic =
        built_in ? built_in_traffic(options_.ranks().value_or(room)) : traffic_in_file(context.files());
    if (traffic && traffic->ranks() > room)
        return invalid(std::to_string(traffic->ranks()) + " ranks, but " + std::to_string(site.slots.size()) +
                       " hosts have " + std::to_string(room) + " slots (--slots gives them more)");
    return traffic;
}

std::vector<Method> RankmapCommand::methods() const {
    std::vector<Method> all{Method::depth_first, Method::by_name, Method::by_lot};
    if (options_.pattern()) all.push_back(Method::pattern);
    return all;
}

Task<Result<Answer>> RankmapCommand::answer(CommandContext& context) {
    const Result<Site> where = site(context);
    if (!where) co_return where.error();
    const Result<Traffic> said = traffic(context, *where);
    if (!said) co_return said.error();
    const auto bandwidth = context.bus().get<BandwidthValue>(BandwidthValue::type_name);
    const auto costs =
        link_costs(where->topology, options_.measure(), bandwidth ? &bandwidth->tree() : nullptr);
    if (!costs) co_return costs.error();
    const Problem problem{*where, *said, *costs, options_.seed()};
    Answer answer;
    std::function<void()> work = [&] { answer.placed = place(problem, methods()); };
    co_await context.files().apart(std::move(work));
    const auto chosen = std::ranges::find(answer.placed, options_.method(), &Placed::method);
    answer.order = rank_order(*where, chosen->placement, std::string(name_of(options_.method())));
    co_return answer;
}

// What is printed or written.
Result<std::string> RankmapCommand::text(const Answer& answer) const {
    if (options_.format() == Format::json) {
        nlohmann::json json = RanksValue(answer.order).to_json();
        json["pattern"] = pattern();
        json["methods"] = comparison_json(answer.placed, options_.measure());
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }
    if (options_.format()) return rank_file(answer.order, *options_.format());
    return RanksValue(answer.order).to_text();
}

Task<Result<int>> RankmapCommand::launch(CommandContext& context, const RankOrder& order,
                                         std::string path) const {
    std::string command =
        launch_command(order, *options_.format(), path, options_.launcher(), options_.program());
    co_return co_await context.run_here(std::move(command));
}

Task<Result<int>> RankmapCommand::deliver(CommandContext& context, const Answer& answer) const {
    Result<std::string> written = text(answer);
    if (!written) co_return written.error();
    if (options_.output()) {
        const Result<void> done = write_file(context.files(), *options_.output(), *written);
        if (!done) co_return done.error();
        if (!options_.run()) co_return 0;
        co_return co_await launch(context, answer.order, *options_.output());
    }
    if (options_.run()) {
        const auto file = PassingFile::write(context.files(), *written);
        if (!file) co_return file.error();
        co_return co_await launch(context, answer.order, file->path());
    }
    co_await context.print(std::move(*written));
    co_return 0;
}

Task<int> RankmapCommand::run(CommandContext& context) {
    if (const auto wrong = options_.complete()) {
        context.say("rankmap: " + *wrong);
        co_return 2;
    }
    const Result<Answer> found = co_await answer(context);
    if (!found) {
        context.say("rankmap: " + found.error().message());
        co_return 2;
    }
    if (options_.format() != Format::json)
        for (const std::string& line :
             comparison_lines(found->placed, options_.method(), options_.measure(), pattern()))
            context.say(line);
    std::vector<std::string> hosts = hosts_by_rank(found->order);
    std::ranges::sort(hosts);
    context.bus().publish("ranks", std::make_shared<RanksValue>(found->order), std::move(hosts));
    const Result<int> status = co_await deliver(context, *found);
    if (!status) context.say("rankmap: " + status.error().message());
    co_return status ? *status : 1;
}

}  // namespace

CommandEntry command() {
    return {"rankmap", "place the ranks of an MPI program on the tree that infer has found",
            []() -> std::unique_ptr<Command> { return std::make_unique<RankmapCommand>(); }};
}

}  // namespace trellis::plugins::rankmap
