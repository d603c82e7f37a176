// The shell side of `bcast`: files from where the user sits to every selected host.
#include "trellis/plugin.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/bcast/broadcast.hpp"
#include "plugins/bcast/chain.hpp"
#include "plugins/bcast/figures.hpp"

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace trellis::plugins::bcast {
namespace {

constexpr const char* footer =
    "SRC is a file, a directory, or - for standard input; DEST a file or a directory of every host: in a\n"
    "directory that is there, SRC comes to stand under its own name. The order by which hosts pass it on is\n"
    "that of the tree that infer has found, or of explore. A file with another order has one host a line.";

class BcastCommand final : public Command {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Send a file or a directory to the selected hosts, which pass it on to one another");
        options.footer(footer);
        options.option("SRC", source_, "what is sent").required();
        options.option("DEST", destination_, "where it comes to stand on every host").required();
        options
            .option("--order", order_,
                    "who passes it on to whom: tree (the default), name, random, or a file")
            .type_name("tree|name|random|FILE");
        options.flag("--json", json_, "print how it ended as JSON");
    }
    [[nodiscard]] bool reads_input() const override { return true; }
    Task<int> run(CommandContext& context) override;

  private:
    Task<Result<std::unique_ptr<Source>>> open(CommandContext& context) const;
    Result<std::vector<Host>> order(CommandContext& context) const;
    Result<std::vector<std::size_t>> places(CommandContext& context,
                                            const std::vector<std::string>& names) const;
    static std::vector<std::size_t> tree_places(CommandContext& context,
                                                const std::vector<std::string>& names);
    Task<int> tell(CommandContext& context, const Report& report) const;

    std::string source_, destination_, order_ = "tree";
    bool json_ = false;
};

Result<std::vector<std::size_t>> places_of_file(CommandContext& context, const std::string& path,
                                                const std::vector<std::string>& names) {
    const auto file = context.files().open(path);
    if (!file) return file.error();
    const auto text = (*file)->read(0, std::size_t{64} << 20);
    if (!text) return text.error();
    std::map<std::string, std::size_t> left;
    for (std::size_t i = 0; i < names.size(); ++i)
        left[names[i]] = i;
    std::vector<std::size_t> places;
    std::istringstream words(*text);
    for (std::string word; words >> word;) {
        const auto place = left.find(word);
        if (place == left.end()) continue;
        places.push_back(place->second);
        left.erase(place);
    }
    if (!left.empty()) return invalid(path + ": " + left.begin()->first + " is not in it");
    return places;
}

std::vector<std::size_t> BcastCommand::tree_places(CommandContext& context,
                                                   const std::vector<std::string>& names) {
    const auto value = context.bus().get<TopologyValue>("topology");
    if (!value && names.size() > 1)
        context.say(
            "bcast: no topology is known: hosts in the order of explore (run infer for a better one)");
    const Chain chain = tree_chain(value ? value->topology() : Topology(), names, "");
    if (value && !chain.unplaced.empty())
        context.say("bcast: not in the topology, so at the end: " + fold_hosts(chain.unplaced));
    return chain.order;
}

Result<std::vector<std::size_t>> BcastCommand::places(CommandContext& context,
                                                      const std::vector<std::string>& names) const {
    if (order_ == "tree") return tree_places(context, names);
    if (order_ == "name") return name_order(names);
    if (order_ == "random") return random_order(names.size(), std::random_device()());
    return places_of_file(context, order_, names);
}

Result<std::vector<Host>> BcastCommand::order(CommandContext& context) const {
    const std::vector<Host> selected = context.selection();
    std::vector<std::string> names;
    for (const Host& host : selected)
        names.push_back(host.name);
    const auto order = places(context, names);
    if (!order) return order.error();
    std::vector<Host> hosts;
    for (const std::size_t place : *order)
        hosts.push_back(selected[place]);
    return hosts;
}

Task<Result<std::unique_ptr<Source>>> BcastCommand::open(CommandContext& context) const {
    if (source_ != "-") co_return co_await open_path(context.files(), source_);
    std::function<Task<Result<std::string>>()> read = [&context] { return context.read_input(); };
    co_return open_stream(context.files(), std::move(read));
}

Task<int> BcastCommand::run(CommandContext& context) {
    if (context.selection().empty()) {
        context.say("bcast: no hosts are selected: reach some with explore first");
        co_return 2;
    }
    Result<std::vector<Host>> hosts = order(context);
    if (!hosts) {
        context.say("bcast: --order " + hosts.error().message());
        co_return 2;
    }
    const auto source = co_await open(context);
    if (!source) {
        context.say("bcast: " + source.error().message());
        co_return 1;
    }
    Broadcast broadcast(context, **source, std::move(*hosts), destination_);
    const Report report = co_await broadcast.run();
    co_return co_await tell(context, report);
}

nlohmann::json to_json(const Report& report) {
    nlohmann::json hosts = nlohmann::json::array();
    for (const HostReport& host : report.hosts) {
        nlohmann::json one = {{"host", host.name}, {"has", host.cause.empty()}};
        if (!host.cause.empty()) one["cause"] = host.cause;
        if (host.by_tree) one["by_tree"] = true;
        hosts.push_back(std::move(one));
    }
    const double seconds = std::chrono::duration<double>(report.taken).count();
    return {{"bytes", report.bytes}, {"seconds", seconds}, {"have", report.have()}, {"hosts", hosts}};
}

Task<int> BcastCommand::tell(CommandContext& context, const Report& report) const {
    std::map<std::string, std::vector<std::string>> by_cause;
    std::vector<std::string> by_tree;
    for (const HostReport& host : report.hosts) {
        if (!host.cause.empty()) by_cause[host.cause].push_back(host.name);
        if (host.by_tree) by_tree.push_back(host.name);
    }
    for (const auto& [cause, names] : by_cause)
        context.say("bcast: " + fold_hosts(names) + ": " + cause);
    if (!by_tree.empty())
        context.say("bcast: " + fold_hosts(by_tree) +
                    " got it over the control tree, not from a host before it");
    const double seconds = std::chrono::duration<double>(report.taken).count();
    const auto bytes = static_cast<double>(report.bytes);
    context.say(std::to_string(report.have()) + " of " + std::to_string(report.hosts.size()) +
                " hosts have it: " + bytes_text(bytes) + " in " + seconds_text(seconds) + ", " +
                bytes_text(seconds > 0 ? bytes / seconds : 0) + "/s");
    if (json_) {
        std::string text = to_json(report).dump() + "\n";
        co_await context.print(std::move(text));
    }
    co_return report.have() == report.hosts.size() ? 0 : 1;
}

}  // namespace

CommandEntry command() {
    return {"bcast", "send a file or a directory to the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<BcastCommand>(); }};
}

}  // namespace trellis::plugins::bcast
