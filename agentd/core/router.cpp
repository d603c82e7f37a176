#include "agentd/core/router.hpp"

#include <algorithm>

namespace trellis {

void Router::add_child(HostId child) {
    child_of_[child] = child;
}

bool Router::learn(HostId child, HostId host) {
    if (host == self_ || host == root_id) return false;
    const auto [place, added] = child_of_.try_emplace(host, child);
    return added || place->second == child;
}

bool Router::move(HostId child, HostId host) {
    if (host == self_ || host == root_id || originates_below(child, host)) return false;
    child_of_[host] = child;
    return true;
}

std::vector<HostId> Router::remove_child(HostId child) {
    std::vector<HostId> gone;
    std::erase_if(child_of_, [&](const auto& entry) {
        if (entry.second != child) return false;
        gone.push_back(entry.first);
        return true;
    });
    std::sort(gone.begin(), gone.end());
    return gone;
}

void Router::forget(HostId host) {
    child_of_.erase(host);
}

bool Router::originates_below(HostId child, HostId source) const {
    const auto place = child_of_.find(source);
    return place != child_of_.end() && place->second == child;
}

std::optional<HostId> Router::child_towards(HostId host) const {
    const auto place = child_of_.find(host);
    if (place == child_of_.end()) return std::nullopt;
    return place->second;
}

std::vector<HostId> Router::below() const {
    std::vector<HostId> hosts;
    for (const auto& [host, child] : child_of_)
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
