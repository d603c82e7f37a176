#include "plugins/infer/roster.hpp"

#include <algorithm>

namespace trellis::plugins::infer {

bool Roster::everybody_answered() const {
    return std::ranges::all_of(
        hosts_, [this](const Host& h) { return ready_.contains(h.id) || out_.contains(h.id); });
}

void Roster::close() {
    for (std::size_t place = 0; place < hosts_.size(); ++place) {
        const HostId id = hosts_[place].id;
        const auto ready = ready_.find(id);
        if (ready == ready_.end() || out_.contains(id)) continue;
        numbers_[id] = static_cast<HostNumber>(participants_.size());
        participants_.push_back({id, ready->second});
        places_.push_back(place);
    }
}

bool Roster::nobody_left() const {
    return std::ranges::all_of(hosts_, [this](const Host& h) { return out_.contains(h.id); });
}

std::vector<std::string> Roster::participant_names() const {
    std::vector<std::string> names;
    for (const std::size_t place : places_)
        names.push_back(hosts_[place].name);
    return names;
}

std::optional<HostNumber> Roster::number_of(HostId host) const {
    const auto number = numbers_.find(host);
    return number == numbers_.end() ? std::nullopt : std::optional(number->second);
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

}  // namespace trellis::plugins::infer
