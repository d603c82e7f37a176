#include "shell/host_groups.hpp"

#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_value.hpp"
#include "shell/duration_text.hpp"

#include <utility>

namespace trellis {
namespace {

Failure unavailable(std::string cause) {
    return Failure{FailureKind::unavailable, "", "", std::move(cause)};
}

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

Result<std::shared_ptr<const TopologyValue>> topology_of(const Session& session) {
    auto value = session.bus().get<TopologyValue>("topology");
    if (!value || value->topology().hosts.empty()) return unavailable("this needs a topology: run infer");
    return value;
}

Result<HostNames> below_switch(const Session& session, const std::string& name) {
    const auto value = topology_of(session);
    if (!value) return value.error();
    const Topology& topology = (*value)->topology();
    const auto node = find_node(topology, name);
    if (!node) return unavailable("the topology has no switch or host " + name);
    const TopologyQuery query(topology);
    HostNames names;
    for (const TopologyNode host : query.hosts_below(*node))
        names.insert(topology.name(host));
    return names;
}

Result<HostNames> within(const Session& session, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string name = text.substr(0, colon);
    const Result<Duration> most = parse_duration(colon == std::string::npos ? "" : text.substr(colon + 1));
    if (!most)
        return Failure{FailureKind::invalid, "", "",
                       "expected @within:HOST:DURATION, such as @within:a00:200us"};
    const auto value = topology_of(session);
    if (!value) return value.error();
    const Topology& topology = (*value)->topology();
    const auto from = find_node(topology, name);
    if (!from) return unavailable("the topology has no host " + name);
    const TopologyQuery query(topology);
    HostNames names;
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host)
        if (2 * query.distance(*from, host) <= Delay(*most)) names.insert(topology.name(host));
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
