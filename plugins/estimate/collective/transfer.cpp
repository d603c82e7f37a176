#include "plugins/estimate/collective/transfer.hpp"

#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

namespace trellis::plugins::estimate {

Result<Transfers> Transfers::from_json(const nlohmann::json& bandwidth, double bytes) {
    Transfers transfers;
    transfers.bytes_ = bytes;
    try {
        const Result<Topology> topology = topology_from_json(bandwidth.at("topology"));
        if (!topology) return topology.error();
        transfers.topology_ = *topology;
        for (const nlohmann::json& link : bandwidth.at("links")) {
            const auto a = find_node(*topology, link.at("a").get<std::string>());
            const auto b = find_node(*topology, link.at("b").get<std::string>());
            if (!a || !b) return invalid("bandwidth of a link that is not in its topology");
            const double there = link.at("a_to_b").value("bits_per_second", 0.0);
            const double back = link.at("b_to_a").value("bits_per_second", 0.0);
            if (there > 0) transfers.bits_per_second_[{*a, *b}] = there;
            if (back > 0) transfers.bits_per_second_[{*b, *a}] = back;
        }
    } catch (const nlohmann::json::exception& error) {
        return invalid(std::string("the bandwidths are of another form: ") + error.what());
    }
    return transfers;
}

Result<double> Transfers::time(const std::string& from, const std::string& to) const {
    if (bytes_ == 0) return 0.0;
    const auto a = find_node(topology_, from), b = find_node(topology_, to);
    if (!a || !b) return unavailable("no bandwidth is known of " + (a ? to : from) + ": run bwtree");
    const std::vector<TopologyNode> path = TopologyQuery(topology_).path(*a, *b);
    double narrowest = std::numeric_limits<double>::infinity();
    for (std::size_t place = 1; place < path.size(); ++place)
        if (const auto link = bits_per_second_.find({path[place - 1], path[place]});
            link != bits_per_second_.end())
            narrowest = std::min(narrowest, link->second);
    return 8e3 * bytes_ / narrowest;
}

}  // namespace trellis::plugins::estimate
