#include "plugins/infer/changes/known_topologies.hpp"

#include "agentd/model/topology_value.hpp"

#include <memory>

namespace trellis::plugins::infer {
namespace {

constexpr const char* current = "topology";
constexpr const char* kept = "topologies";

}  // namespace

// The session's topology first, which may have been loaded or made by somebody else.
TopologyCollection KnownTopologies::all() const {
    const auto others = bus_.get<TopologyCollection>(kept);
    const auto topology = bus_.get<TopologyValue>(current);
    TopologyCollection known = others ? *others : TopologyCollection();
    if (!topology) return known;
    std::int64_t measured = bus_.find(current)->unix_time;
    for (const KnownTopology& one : known.known())
        if (one.topology == topology->topology()) measured = one.measured;
    return known.with({topology->topology(), measured});
}

std::optional<KeptPart> KnownTopologies::part_for(const std::vector<std::string>& selected) const {
    return kept_part(all().known(), selected);
}

void KnownTopologies::publish(const Topology& topology, std::optional<std::int64_t> measured) {
    const TopologyCollection before = all();
    bus_.publish(current, std::make_shared<TopologyValue>(topology), topology.hosts);
    const std::int64_t now = bus_.find(current)->unix_time;
    const auto after = std::make_shared<TopologyCollection>(before.with({topology, measured.value_or(now)}));
    bus_.publish(kept, after, after->hosts());
}

std::int64_t KnownTopologies::age() const {
    const auto known = bus_.get<TopologyCollection>(kept);
    return known ? bus_.find(current)->unix_time - known->known().front().measured : 0;
}

void KnownTopologies::forget(const std::vector<std::string>& moved) {
    const auto rest = std::make_shared<TopologyCollection>(all().without(moved));
    if (rest->known().empty()) return;
    const Topology first = rest->known().front().topology;
    bus_.publish(current, std::make_shared<TopologyValue>(first), first.hosts);
    bus_.publish(kept, rest, rest->hosts());
}

}  // namespace trellis::plugins::infer
