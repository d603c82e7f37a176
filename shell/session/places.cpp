#include "shell/session/places.hpp"

#include <utility>

namespace trellis {

Places::Places(const std::vector<PlaceGroup>& groups) {
    for (const PlaceGroup& group : groups)
        for (const std::string& host : group.hosts)
            set(host, group.place);
}

const Place& Places::of(const std::string& host) const {
    static const Place home;
    const auto found = places_.find(host);
    return found == places_.end() ? home : found->second;
}

void Places::set(const std::string& host, Place place) {
    if (place == Place{})
        places_.erase(host);
    else
        places_[host] = std::move(place);
}

std::vector<PlaceGroup> Places::groups() const {
    std::map<Place, std::vector<std::string>> hosts;
    for (const auto& [host, place] : places_)
        hosts[place].push_back(host);
    std::vector<PlaceGroup> groups;
    groups.reserve(hosts.size());
    for (auto& [place, names] : hosts)
        groups.push_back({place, std::move(names)});
    return groups;
}

}  // namespace trellis
