#include "agentd/core/membership.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

bool Membership::join(Host host, HostId parent) {
    const auto expected = expected_.find(host.id);
    if (expected == expected_.end() || !expected->second.contains(parent)) return false;
    expected_.erase(expected);
    const HostId id = host.id;
    ++view_;
    if (const auto known = members_.find(id); known != members_.end()) {
        Member moved = known->second;
        moved.parent = parent;
        put(std::move(moved));
        return known->second.state != MemberState::lost;
    }
    by_machine_[host.machine].push_back(id);
    put(Member{std::move(host), parent, MemberState::alive, "", false});
    return true;
}

void Membership::put(Member member) {
    const HostId id = member.host.id;
    if (const auto known = members_.find(id); known != members_.end()) {
        children_[known->second.parent].erase(id);
    }
    children_[member.parent].insert(id);
    members_[id] = std::move(member);
}

bool Membership::lose(HostId host, const std::string& cause) {
    const auto place = members_.find(host);
    if (place == members_.end() || place->second.state == MemberState::lost) return false;
    place->second.state = MemberState::lost;
    place->second.cause = cause;
    ++view_;
    return true;
}

std::vector<HostId> Membership::children(HostId host) const {
    std::vector<HostId> found;
    const auto place = children_.find(host);
    if (place == children_.end()) return found;
    for (const HostId child : place->second)
        if (alive(child)) found.push_back(child);
    return found;
}

std::vector<HostId> Membership::with_all_below(HostId host) const {
    std::vector<HostId> all{host};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto place = children_.find(all[i]);
        if (place != children_.end()) all.insert(all.end(), place->second.begin(), place->second.end());
    }
    std::sort(all.begin(), all.end());
    return all;
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
    for (const HostId id : with_all_below(host)) {
        if (!alive(id)) continue;
        Member& member = members_.at(id);
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

void Membership::copy(Member member, std::uint64_t view) {
    put(std::move(member));
    view_ = view;
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
