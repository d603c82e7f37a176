#include "plugins/bcast/order.hpp"

#include "agentd/model/host_order.hpp"
#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_value.hpp"
#include "plugins/bcast/chain.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

namespace trellis::plugins::bcast {
namespace {

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
    if (order == "name") return name_order(names);
    if (order == "random") return random_order(names.size(), std::random_device()());
    return places_of_file(context, order, names);
}

}  // namespace

Result<std::vector<Host>> ordered_hosts(CommandContext& context, const std::string& order,
                                        const std::string& source) {
    const std::vector<Host> selected = context.selection();
    std::vector<std::string> names;
    names.reserve(selected.size());
    for (const Host& host : selected)
        names.push_back(host.name);
    const auto found = places(context, order, names, source);
    if (!found) return found.error();
    std::vector<Host> hosts;
    hosts.reserve(found->size());
    for (const std::size_t place : *found)
        hosts.push_back(selected[place]);
    std::stable_partition(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == source; });
    return hosts;
}

}  // namespace trellis::plugins::bcast
