#include "plugins/bcast/order.hpp"

#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/host_order.hpp"
#include "agentd/model/host_range.hpp"
#include "agentd/model/rank_order.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/bcast/chain.hpp"

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

Result<std::vector<std::size_t>> places_of_file(CommandContext& context, const std::string& path,
                                                const std::vector<std::string>& names) {
    const auto file = context.files().open(path);
    if (!file) return file.error();
    const auto text = (*file)->read(0, std::size_t{64} << 20);
    if (!text) return text.error();
    std::istringstream words(*text);
    const Listed found = listed({std::istream_iterator<std::string>(words), {}}, names);
    if (!found.missing.empty()) return invalid(path + ": " + names[found.missing.front()] + " is not in it");
    return found.places;
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

Result<std::vector<std::size_t>> places(CommandContext& context, const std::string& order,
                                        const std::vector<std::string>& names, const std::string& source) {
    if (order == "tree") return places_in_tree(context, names, source);
    if (order == "ranks") return places_by_ranks(context, names);
    if (order == "name") return name_order(names);
    if (order == "random") return random_order(names.size(), std::random_device()());
    return places_of_file(context, order, names);
}

}  // namespace

Result<std::vector<Host>> ordered_hosts(CommandContext& context, const std::string& order,
                                        const std::string& source) {
    const std::vector<Host> selected = context.selection();
    const auto found = places(context, order, names_of(selected), source);
    if (!found) return found.error();
    std::vector<Host> hosts;
    hosts.reserve(found->size());
    for (const std::size_t place : *found)
        hosts.push_back(selected[place]);
    std::stable_partition(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == source; });
    return hosts;
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
