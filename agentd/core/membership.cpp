#include "agentd/core/membership.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

bool Membership::join(Host host, HostId parent) {
    const auto expected = expected_.find(host.id);
    if (expected == expected_.end() || expected->second != parent) return false;
    expected_.erase(expected);
    const HostId id = host.id;
    by_machine_[host.machine].push_back(id);
    members_[id] = Member{std::move(host), parent, MemberState::alive, "", false};
    ++view_;
    return true;
}

bool Membership::below(HostId host, HostId ancestor) const {
    while (host != ancestor) {
        const Member* member = find(host);
        if (!member) return false;
        host = member->parent;
    }
    return true;
}

// No silent host on the way to it.
bool Membership::hears_of(HostId host) const {
    for (const Member* member = find(host); member; member = find(member->parent)) {
        if (member->silent) return false;
    }
    return true;
}

std::vector<HostId> Membership::change(HostId host, MemberState state, const std::string& cause) {
    std::vector<HostId> changed;
    if (const auto place = members_.find(host); place != members_.end()) {
        place->second.silent = state == MemberState::suspect;
    }
    for (auto& [id, member] : members_) {
        if (member.state == MemberState::lost || !below(id, host)) continue;
        const MemberState heard = hears_of(id) ? MemberState::alive : MemberState::suspect;
        const MemberState now = state == MemberState::lost ? state : heard;
        if (now == member.state) continue;
        member.state = now;
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
    const auto known = by_machine_.find(host.machine);
    if (host.machine.empty() || known == by_machine_.end()) return nullptr;
    for (const HostId id : known->second) {
        const Member* member = find(id);
        if (id != host.id && member && member->state != MemberState::lost) return member;
    }
    return nullptr;
}

bool Membership::alive(HostId id) const {
    const Member* member = find(id);
    return member && member->state != MemberState::lost;
}

}  // namespace trellis
