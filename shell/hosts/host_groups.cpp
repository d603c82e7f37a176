#include "shell/hosts/host_groups.hpp"

#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_value.hpp"
#include "shell/language/duration_text.hpp"

#include <utility>

namespace trellis {
namespace {

template <class Condition>
HostNames known_hosts_where(const Session& session, Condition condition) {
    HostNames names;
    for (const HostEntry& entry : session.hosts())
        if (condition(entry.host.name)) names.insert(entry.host.name);
    return names;
}

HostNames by_outcome(const Session& session, const Seat& seat, bool ok) {
    return known_hosts_where(session, [&](const std::string& name) {
        const auto outcome = seat.outcomes().find(name);
        return outcome != seat.outcomes().end() && outcome->second.ok() == ok;
    });
}

// A switch or host of the topology on the bus.
struct Place {
    std::shared_ptr<const TopologyValue> value;
    TopologyNode node = 0;
    [[nodiscard]] const Topology& topology() const { return value->topology(); }
};

Result<Place> find_place(const Session& session, const std::string& name) {
    auto value = session.bus().get<TopologyValue>("topology");
    if (!value || value->topology().hosts.empty()) return unavailable("this needs a topology: run infer");
    const auto node = find_node(value->topology(), name);
    if (!node) return unavailable("the topology has no switch or host " + name);
    return Place{std::move(value), *node};
}

Result<HostNames> below_switch(const Session& session, const std::string& name) {
    const Result<Place> place = find_place(session, name);
    if (!place) return place.error();
    const TopologyQuery query(place->topology());
    HostNames names;
    for (const TopologyNode host : query.hosts_below(place->node))
        names.insert(place->topology().name(host));
    return names;
}

Result<HostNames> within(const Session& session, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const Result<Duration> most = parse_duration(colon == std::string::npos ? "" : text.substr(colon + 1));
    if (!most) return invalid("expected @within:HOST:DURATION, such as @within:a00:200us");
    const Result<Place> place = find_place(session, text.substr(0, colon));
    if (!place) return place.error();
    const TopologyQuery query(place->topology());
    HostNames names;
    for (TopologyNode host = 0; host < place->topology().hosts.size(); ++host)
        if (2 * query.distance(place->node, host) <= Delay(*most)) names.insert(place->topology().name(host));
    return names;
}

Result<HostNames> saved(const Session& session, const Seat& seat, const std::string& name) {
    const auto mask = seat.masks().saved().find(name);
    if (mask == seat.masks().saved().end())
        return unavailable("no group or mask is called " + name +
                           " (see showmasks; groups: all, selected, ok, failed, below:, within:)");
    return known_hosts_where(session, [&](const std::string& host) { return !mask->second.contains(host); });
}

Result<HostNames> group(const Session& session, const Seat& seat, const std::string& name) {
    constexpr std::string_view below = "below:", near = "within:";
    if (name == "all") return known_hosts_where(session, [](const std::string&) { return true; });
    if (name == "selected")
        return known_hosts_where(session, [&](const std::string& host) { return seat.selected(host); });
    if (name == "ok" || name == "failed") return by_outcome(session, seat, name == "ok");
    if (name.starts_with(below)) return below_switch(session, name.substr(below.size()));
    if (name.starts_with(near)) return within(session, name.substr(near.size()));
    return saved(session, seat, name);
}

}  // namespace

HostGroups host_groups(const Session& session, const Seat& seat) {
    return [&session, &seat](const std::string& name) { return group(session, seat, name); };
}

}  // namespace trellis
