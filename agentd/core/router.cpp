#include "agentd/core/router.hpp"

#include <algorithm>

namespace trellis {

void Router::add_child(HostId child) {
    places_[child] = {child, self_};
}

bool Router::learn(HostId child, HostId host) {
    if (host == self_ || host == root_id) return false;
    const auto [place, added] = places_.try_emplace(host, Place{child, std::nullopt});
    return added || place->second.child == child;
}

bool Router::move(HostId child, HostId host) {
    if (host == self_ || host == root_id || originates_below(child, host)) return false;
    places_[host].child = child;
    return true;
}

void Router::hang(HostId host, HostId parent) {
    if (const auto place = places_.find(host); place != places_.end()) place->second.parent = parent;
}

std::vector<HostId> Router::remove_child(HostId child) {
    std::vector<HostId> gone;
    std::erase_if(places_, [&](const auto& entry) {
        if (entry.second.child != child) return false;
        gone.push_back(entry.first);
        return true;
    });
    std::sort(gone.begin(), gone.end());
    return gone;
}

std::vector<HostId> Router::lose(HostId child, HostId parent, HostId lost, const std::vector<HostId>& named) {
    std::vector<HostId> gone;
    for (const HostId host : named)
        if (host != child && originates_below(child, host) && went_with(host, parent, lost))
            gone.push_back(host);
    for (const HostId host : gone)
        places_.erase(host);
    return gone;
}

// What hangs on a host that is not known hangs, as far as is known, where it was.
bool Router::went_with(HostId host, HostId parent, HostId lost) const {
    for (std::size_t steps = 0; steps <= places_.size(); ++steps) {
        const auto place = places_.find(host);
        if (place == places_.end() || !place->second.parent) return true;
        if (host == lost) return place->second.parent == parent;
        host = *place->second.parent;
        if (host == self_) return false;
    }
    return true;
}

bool Router::originates_below(HostId child, HostId source) const {
    const auto place = places_.find(source);
    return place != places_.end() && place->second.child == child;
}

std::optional<HostId> Router::child_towards(HostId host) const {
    const auto place = places_.find(host);
    if (place == places_.end()) return std::nullopt;
    return place->second.child;
}

std::vector<HostId> Router::below() const {
    std::vector<HostId> hosts;
    for (const auto& [host, place] : places_)
        hosts.push_back(host);
    std::sort(hosts.begin(), hosts.end());
    return hosts;
}

Router::Split Router::split(const HostSet& set) const {
    Split split;
    for (const HostId host : set.ids()) {
        if (host == self_) {
            split.self = true;
        } else if (const auto child = child_towards(host)) {
            split.children[*child].push_back(host);
        } else {
            split.elsewhere.push_back(host);
        }
    }
    return split;
}

}  // namespace trellis
