#include "plugins/infer/roster.hpp"

#include <algorithm>

namespace trellis::plugins::infer {

bool Roster::everybody_answered() const {
    return std::ranges::all_of(
        hosts_, [this](const Host& h) { return ready_.contains(h.id) || out_.contains(h.id); });
}

void Roster::close() {
    for (const Host& host : hosts_) {
        const auto ready = ready_.find(host.id);
        if (ready != ready_.end() && !out_.contains(host.id))
            participants_.push_back({host.id, ready->second});
    }
}

bool Roster::nobody_left() const {
    return std::ranges::all_of(hosts_, [this](const Host& h) { return out_.contains(h.id); });
}

std::vector<std::string> Roster::participant_names() const {
    std::vector<std::string> names;
    for (const Participant& participant : participants_)
        names.push_back(name_of(participant.id));
    return names;
}

std::optional<HostNumber> Roster::number_of(HostId host) const {
    const auto place = std::ranges::find(participants_, host, &Participant::id);
    if (place == participants_.end()) return std::nullopt;
    return static_cast<HostNumber>(place - participants_.begin());
}

std::string Roster::name_of(HostId host) const {
    const auto place = std::ranges::find(hosts_, host, &Host::id);
    return place == hosts_.end() ? "?" : place->name;
}

std::vector<HostId> Roster::ids() const {
    std::vector<HostId> ids;
    for (const Host& host : hosts_)
        ids.push_back(host.id);
    return ids;
}

std::optional<std::string> reason_to_leave_out(const OperationEvent& event) {
    if (const auto* result = std::get_if<RoleResult>(&event.what)) return result->outcome.detail;
    const auto* suspicion = std::get_if<HostSuspicion>(&event.what);
    if (suspicion != nullptr && suspicion->suspect) return "silent";
    return std::nullopt;
}

}  // namespace trellis::plugins::infer
