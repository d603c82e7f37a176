#include "agentd/core/membership.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

void Membership::join(Host host, HostId parent) {
    const HostId id = host.id;
    members_[id] = Member{std::move(host), parent, MemberState::alive, ""};
    ++view_;
}

bool Membership::below(HostId host, HostId ancestor) const {
    while (host != ancestor) {
        const Member* member = find(host);
        if (!member) return false;
        host = member->parent;
    }
    return true;
}

std::vector<HostId> Membership::change(HostId host, MemberState state, const std::string& cause) {
    std::vector<HostId> changed;
    for (auto& [id, member] : members_) {
        if (member.state == state || member.state == MemberState::lost || !below(id, host)) continue;
        member.state = state;
        member.cause = cause;
        changed.push_back(id);
    }
    if (state == MemberState::lost && !changed.empty()) ++view_;
    return changed;
}

const Member* Membership::find(HostId id) const {
    const auto place = members_.find(id);
    return place == members_.end() ? nullptr : &place->second;
}

const Member* Membership::find(std::string_view name) const {
    const auto place = std::find_if(members_.begin(), members_.end(), [&](const auto& entry) {
        return entry.second.host.name == name && entry.second.state != MemberState::lost;
    });
    return place == members_.end() ? nullptr : &place->second;
}

const Member* Membership::same_machine(const Host& host) const {
    const auto place = std::find_if(members_.begin(), members_.end(), [&](const auto& entry) {
        const Member& member = entry.second;
        return member.state != MemberState::lost && member.host.machine == host.machine &&
               member.host.id != host.id && !host.machine.empty();
    });
    return place == members_.end() ? nullptr : &place->second;
}

bool Membership::alive(HostId id) const {
    const Member* member = find(id);
    return member && member->state != MemberState::lost;
}

}  // namespace trellis
