#include "plugins/bcast/order.hpp"

#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/host_order.hpp"
#include "agentd/model/host_range.hpp"
#include "agentd/model/rank_order.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/bcast/chain.hpp"
#include "plugins/bcast/file_watch.hpp"
#include "plugins/bcast/manifest.hpp"
#include "plugins/bcast/user_path.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string_view>

namespace trellis::plugins::bcast {
namespace {

std::vector<std::string> names_of(const std::vector<Host>& hosts) {
    std::vector<std::string> names;
    names.reserve(hosts.size());
    for (const Host& host : hosts)
        names.push_back(host.name);
    return names;
}

// The places of hosts among the selected ones.
struct Listed {
    std::vector<std::size_t> places;   // in the order of the list, each once
    std::vector<std::size_t> missing;  // those that are not in it
};

Listed listed(const std::vector<std::string>& list, const std::vector<std::string>& names) {
    std::map<std::string_view, std::size_t> left;
    for (std::size_t i = 0; i < names.size(); ++i)
        left[names[i]] = i;
    Listed found;
    for (const std::string& name : list) {
        const auto place = left.find(name);
        if (place == left.end()) continue;
        found.places.push_back(place->second);
        left.erase(place);
    }
    for (const auto& [name, place] : left)
        found.missing.push_back(place);
    std::ranges::sort(found.missing);
    return found;
}

Result<std::string> read_now(FileStore& files, const std::string& path) {
    const auto file = files.open(led_to(files, from_home(path)));
    if (!file) return file.error();
    return (*file)->read(0, std::size_t{64} << 20);
}

// Owns what it uses (while_files_answer).
Task<Result<std::string>> read_text(std::shared_ptr<FileStore> files, std::string path) {
    Result<std::string> text = std::string();
    std::function<void()> work = [&] { text = read_now(*files, path); };
    co_await files->apart(std::move(work));
    co_return text;
}

Task<Result<std::vector<std::size_t>>> places_of_file(CommandContext& context, std::string path,
                                                      std::vector<std::string> names) {
    const auto files = context.files().another();
    auto reading = read_text(files, path);
    const auto text = co_await while_files_answer(files, context.clock(), path, std::move(reading));
    if (!text) co_return text.error();
    std::istringstream words(*text);
    const Listed found = listed({std::istream_iterator<std::string>(words), {}}, names);
    if (!found.missing.empty())
        co_return invalid(path + ": " + names[found.missing.front()] + " is not in it");
    co_return found.places;
}

Result<std::vector<std::size_t>> places_by_ranks(CommandContext& context,
                                                 const std::vector<std::string>& names) {
    const auto value = context.bus().get<RanksValue>(RanksValue::type_name);
    if (!value) return unavailable("ranks: no ranks are placed: run rankmap");
    Listed found = listed(hosts_by_rank(value->order()), names);
    if (found.places.empty()) return unavailable("ranks: none is placed on these hosts: run rankmap");
    std::vector<std::string> behind;
    for (const std::size_t place : found.missing)
        behind.push_back(names[place]);
    if (!behind.empty()) context.say("bcast: without a rank, so at the end: " + fold_hosts(behind));
    found.places.insert(found.places.end(), found.missing.begin(), found.missing.end());
    return found.places;
}

std::vector<std::size_t> places_in_tree(CommandContext& context, const std::vector<std::string>& names,
                                        const std::string& source) {
    const auto value = context.bus().get<TopologyValue>("topology");
    if (!value && names.size() > 1)
        context.say(
            "bcast: no topology is known: hosts in the order of explore (run infer for a better one)");
    const Chain chain = tree_chain(value ? value->topology() : Topology(), names, source);
    if (value && !chain.unplaced.empty())
        context.say("bcast: not in the topology, so at the end: " + fold_hosts(chain.unplaced));
    return chain.order;
}

Task<Result<std::vector<std::size_t>>> places(CommandContext& context, std::string order,
                                              std::vector<std::string> names, std::string source) {
    if (order == "tree") co_return places_in_tree(context, names, source);
    if (order == "ranks") co_return places_by_ranks(context, names);
    if (order == "name") co_return name_order(names);
    if (order == "random") co_return random_order(names.size(), std::random_device()());
    co_return co_await places_of_file(context, std::move(order), std::move(names));
}

}  // namespace

Task<Result<std::vector<Host>>> ordered_hosts(CommandContext& context, std::vector<Host> selected,
                                              std::string order, std::string source) {
    auto names = names_of(selected);
    const auto found = co_await places(context, std::move(order), std::move(names), source);
    if (!found) co_return found.error();
    std::vector<Host> hosts;
    hosts.reserve(found->size());
    for (const std::size_t place : *found)
        hosts.push_back(selected[place]);
    std::stable_partition(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == source; });
    co_return hosts;
}

double slowest_link(CommandContext& context, const std::vector<Host>& chain) {
    const auto known = context.bus().get<BandwidthValue>(BandwidthValue::type_name);
    const double rate = known ? slowest_measured_link(known->tree(), names_of(chain)) : 0;
    if (rate > 0)
        context.say("bcast: sent evenly for the slowest link between the hosts, " + rate_text(rate) +
                    " by bwtree");
    return rate;
}

}  // namespace trellis::plugins::bcast
