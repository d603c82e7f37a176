#include "shell/session/session.hpp"

#include "shell/output/outcome_text.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

HostState state_of(MemberState state) {
    switch (state) {
        case MemberState::alive:
            return HostState::alive;
        case MemberState::suspect:
            return HostState::suspect;
        case MemberState::lost:
            break;
    }
    return HostState::lost;
}

// The newest member of each name: names may come back after a loss.
std::map<std::string, const Member*> newest_members(const Membership& membership) {
    std::map<std::string, const Member*> newest;
    for (const auto& [id, member] : membership.members())
        newest[member.host.name] = &member;
    return newest;
}

}  // namespace

Session::Session(Cluster& cluster, Clock& clock, std::function<std::int64_t()> unix_time,
                 std::vector<ValueType> value_types)
    : cluster_(cluster),
      clock_(clock),
      unix_time_(std::move(unix_time)),
      value_types_(std::move(value_types)),
      bus_([this] { return cluster_.membership().view(); }, unix_time_) {
    cluster_.on_change([this](const Member& member) { member_changed(member); });
    publish_hosts();
}

const ValueType* Session::value_type(std::string_view name) const {
    for (const ValueType& type : value_types_)
        if (type.type == name) return &type;
    return nullptr;
}

HostEntry Session::entry(const std::string& name, const Member* member) const {
    HostEntry entry;
    entry.host.name = name;
    if (member) {
        entry.host = member->host;
        entry.state = state_of(member->state);
        entry.cause = member->cause;
    }
    const auto cause = causes_.find(name);
    if (!entry.running() && cause != causes_.end()) entry.cause = cause->second;
    return entry;
}

std::vector<HostEntry> Session::hosts() const {
    const auto members = newest_members(cluster_.membership());
    std::vector<HostEntry> entries;
    for (const std::string& name : order_) {
        const auto found = members.find(name);
        entries.push_back(entry(name, found == members.end() ? nullptr : found->second));
    }
    return entries;
}

std::optional<HostEntry> Session::host(const std::string& name) const {
    if (!named_.contains(name)) return std::nullopt;
    const auto members = newest_members(cluster_.membership());
    const auto found = members.find(name);
    return entry(name, found == members.end() ? nullptr : found->second);
}

std::string Session::host_name(HostId id) const {
    const Member* member = cluster_.membership().find(id);
    return member ? member->host.name : "host " + std::to_string(static_cast<std::uint32_t>(id));
}

void Session::name_hosts(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (named_.insert(name).second) order_.push_back(name);
}

void Session::note_attempt(const std::string& name, const Outcome& outcome) {
    set_cause(name, outcome.ok() ? "" : outcome_text(outcome));
}

void Session::set_cause(const std::string& name, std::string cause) {
    if (cause.empty())
        causes_.erase(name);
    else
        causes_[name] = std::move(cause);
}

void Session::note_login(const std::string& name, const LoginAttempt& attempt) {
    constexpr std::size_t kept = 12;
    std::vector<LoginRecord>& records = logins_[name];
    if (attempt.outcome && !records.empty() && !records.back().attempt.outcome) {
        records.back().attempt = attempt;
        return;
    }
    const UseRule* rule = rules_.decide(attempt.from, name).rule;
    if (records.size() == kept) records.erase(records.begin());
    records.push_back({attempt, rule ? rule->text() : "", unix_time_()});
}

std::vector<LoginRecord> Session::logins(const std::string& name) const {
    const auto found = logins_.find(name);
    return found == logins_.end() ? std::vector<LoginRecord>{} : found->second;
}

void Session::publish_hosts() {
    std::vector<HostEntry> entries = hosts();
    std::vector<std::string> names;
    names.reserve(entries.size());
    for (const HostEntry& entry : entries)
        names.push_back(entry.host.name);
    bus_.publish("hosts", std::make_shared<HostsValue>(std::move(entries)), std::move(names));
}

void Session::member_changed(const Member& member) {
    name_hosts({member.host.name});
    publish_hosts();
    if (changed_) changed_(entry(member.host.name, &member));
}

std::vector<Host> Seat::selection() const {
    std::vector<Host> hosts;
    for (HostEntry& entry : session_.hosts())
        if (entry.running() && selected(entry.host.name)) hosts.push_back(std::move(entry.host));
    return hosts;
}

void Seat::select(const std::set<std::string>& names) {
    Mask mask;
    for (const HostEntry& entry : session_.hosts())
        if (!names.contains(entry.host.name)) mask.insert(entry.host.name);
    change_masks([&](Masks& masks) { masks.set(std::move(mask)); });
}

Seat::Counts Seat::counts() const {
    Counts counts;
    for (const HostEntry& entry : session_.hosts()) {
        if (!entry.running()) continue;
        ++counts.all;
        if (selected(entry.host.name)) ++counts.selected;
        const auto outcome = outcomes_.find(entry.host.name);
        if (outcome != outcomes_.end() && outcome->second.ok()) ++counts.succeeded;
    }
    return counts;
}

void Seat::publish_selection() {
    std::vector<std::string> names;
    for (const Host& host : selection())
        names.push_back(host.name);
    session_.bus().publish("selection", std::make_shared<SelectionValue>(names), names);
}

}  // namespace trellis
