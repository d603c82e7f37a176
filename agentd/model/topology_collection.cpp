#include "agentd/model/topology_collection.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

std::vector<std::string> sorted_hosts(const Topology& topology) {
    std::vector<std::string> names = topology.hosts;
    std::ranges::sort(names);
    return names;
}

std::string utc_text(std::int64_t unix_time) {
    const auto seconds = static_cast<std::time_t>(unix_time);
    std::tm utc{};
    std::array<char, 40> text{};
    gmtime_r(&seconds, &utc);
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &utc);
    return text.data();
}

Failure malformed(std::string cause) {
    return Failure{FailureKind::invalid, "topologies", "", std::move(cause)};
}

}  // namespace

bool same_hosts(const Topology& one, const Topology& other) {
    return one.hosts.size() == other.hosts.size() && sorted_hosts(one) == sorted_hosts(other);
}

TopologyCollection::TopologyCollection(std::vector<KnownTopology> known) : known_(std::move(known)) {
    if (known_.size() > most) known_.resize(most);
}

TopologyCollection TopologyCollection::with(KnownTopology newest) const {
    std::vector<KnownTopology> known;
    known.push_back(std::move(newest));
    std::ranges::copy_if(known_, std::back_inserter(known), [&](const KnownTopology& other) {
        return !same_hosts(other.topology, known.front().topology);
    });
    return TopologyCollection(std::move(known));
}

TopologyCollection TopologyCollection::without(const std::vector<std::string>& hosts) const {
    const std::set<std::string> gone(hosts.begin(), hosts.end());
    TopologyCollection rest;
    for (auto one = known_.rbegin(); one != known_.rend(); ++one) {
        std::vector<std::string> left = one->topology.hosts;
        std::erase_if(left, [&](const std::string& name) { return gone.contains(name); });
        if (!left.empty()) rest = rest.with({project(one->topology, left).value(), one->measured});
    }
    return rest;
}

std::vector<std::string> TopologyCollection::hosts() const {
    std::set<std::string> names;
    for (const KnownTopology& one : known_)
        names.insert(one.topology.hosts.begin(), one.topology.hosts.end());
    return {names.begin(), names.end()};
}

nlohmann::json TopologyCollection::to_json() const {
    nlohmann::json list = nlohmann::json::array();
    for (const KnownTopology& one : known_)
        list.push_back({{"measured", one.measured}, {"topology", topology_to_json(one.topology)}});
    return list;
}

std::string TopologyCollection::to_text() const {
    std::string text;
    for (const KnownTopology& one : known_)
        text += fold_hosts(one.topology.hosts) + ": " + std::to_string(one.topology.hosts.size()) +
                " hosts, " + std::to_string(one.topology.switches.size()) + " switches, measured " +
                utc_text(one.measured) + "\n";
    return text;
}

Result<std::shared_ptr<const Value>> TopologyCollection::from_json(const nlohmann::json& json) {
    if (!json.is_array() || json.size() > most)
        return malformed("expected an array of at most " + std::to_string(most) + " topologies");
    std::vector<KnownTopology> known;
    for (const nlohmann::json& one : json) {
        if (!one.is_object() || one.size() != 2 || !one.contains("measured") ||
            !one["measured"].is_number_integer() || !one.contains("topology"))
            return malformed("[" + std::to_string(known.size()) +
                             R"(]: expected {"measured": seconds, "topology": {...}})");
        Result<Topology> topology = topology_from_json(one["topology"]);
        if (!topology) return topology.error();
        known.push_back({std::move(*topology), one["measured"].get<std::int64_t>()});
    }
    return std::shared_ptr<const Value>(std::make_shared<TopologyCollection>(std::move(known)));
}

}  // namespace trellis
