#include "plugins/infer/changes/grown_topology.hpp"

#include <algorithm>
#include <set>

namespace trellis::plugins::infer {
namespace {

std::string fresh_switch_name(const Topology& topology) {
    const std::set<std::string> hosts(topology.hosts.begin(), topology.hosts.end());
    const std::set<std::string> switches(topology.switches.begin(), topology.switches.end());
    for (std::size_t number = switches.size() + 1;; ++number) {
        std::string name = "s" + std::to_string(number);
        if (!hosts.contains(name) && !switches.contains(name)) return name;
    }
}

}  // namespace

Topology hang(const Topology& topology, const std::string& host, const Attachment& place) {
    Topology grown = topology;
    const auto added = static_cast<TopologyNode>(topology.hosts.size());
    const auto moved = [added](TopologyNode node) { return node < added ? node : node + 1; };
    grown.hosts.push_back(host);
    for (TopologyLink& link : grown.links) {
        link.a = moved(link.a);
        link.b = moved(link.b);
    }
    for (TopologyNode& mesh : grown.meshes)
        mesh = moved(mesh);
    TopologyNode at = moved(place.a);
    if (place.on_link()) {
        at = static_cast<TopologyNode>(grown.node_count());
        grown.switches.push_back(fresh_switch_name(topology));
        const auto whole = std::ranges::find_if(grown.links, [&](const TopologyLink& link) {
            return link.a == moved(place.a) && link.b == moved(place.b);
        });
        TopologyLink rest = *whole;
        whole->b = rest.a = at;
        whole->delay = Delay{place.from_a_us / 2};
        rest.delay -= whole->delay;
        for (TopologyLink* part : {&*whole, &rest})
            if (!grown.is_host(part->a) && !grown.is_host(part->b))
                part->confidence = std::min(part->confidence, place.confidence);
        grown.links.push_back(rest);
    }
    grown.links.push_back(
        {added, at, Delay{place.own_us / 2}, place.confidence, Delay{place.own_error_us / 2}});
    return grown;
}

}  // namespace trellis::plugins::infer
