#include "plugins/bcast/formation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t samples = 3;  // what is compared: the time between the first and the last one
constexpr std::size_t samples_after_move = 8;  // as a new connection needs time to get up to its rate
constexpr ChunkNumber least_chunks = 4;        // in that time, by the faster host; and the distance

}  // namespace

Formation::Formation(const Begin& begin) {
    const std::vector<Member> nodes = begin.nodes();
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node].id == root_id) continue;
        Place place;
        place.id = nodes[node].id;
        place.giver = node == 0 ? root_id : nodes[giver_of(begin.method, node)].id;
        place.listens = nodes[node].endpoint.port != 0;
        places_.push_back(std::move(place));
    }
}

Formation::Places::iterator Formation::find(HostId host) {
    return std::ranges::find(places_, host, &Place::id);
}

Formation::Places::const_iterator Formation::find(HostId host) const {
    return std::ranges::find(places_, host, &Place::id);
}

HostId Formation::giver(HostId host) const {
    const auto place = find(host);
    return place == places_.end() ? root_id : place->giver;
}

TimePoint Formation::heard(HostId host) const {
    const auto place = find(host);
    return place == places_.end() ? TimePoint() : place->spoke;
}

std::vector<Formation::Change> Formation::bequeath(const Place& place) {
    std::vector<Change> changes;
    for (Place& heir : places_) {
        if (heir.giver != place.id || heir.id == place.id) continue;
        heir.giver = place.giver;
        changes.push_back({heir.id, heir.giver});
    }
    return changes;
}

std::vector<Formation::Change> Formation::to_tail(Place& place) {
    const auto fits = [&place](const Place& other) {
        return other.listens && !other.silent && other.id != place.id;
    };
    const auto tail = std::find_if(places_.rbegin(), places_.rend(), fits);
    if (tail == places_.rend()) return {};
    place.giver = tail->id;
    return {{place.id, tail->id}};
}

std::vector<Formation::Change> Formation::move_to_end(HostId host) {
    const auto place = find(host);
    if (place == places_.end()) return {};
    std::vector<Change> changes = bequeath(*place);
    place->at_end = true;
    std::rotate(place, place + 1, places_.end());
    forget_rates();
    const std::vector<Change> own = to_tail(places_.back());
    changes.insert(changes.end(), own.begin(), own.end());
    return changes;
}

std::vector<Formation::Change> Formation::passed(HostId by, const std::vector<HostId>& hosts, HostId giver) {
    const auto passer = find(by);
    if (passer != places_.end()) passer->giver = giver;
    std::vector<Change> changes;
    for (const HostId host : hosts) {
        const auto place = find(host);
        if (place == places_.end()) continue;
        place->silent = true;
        if (place->at_end) continue;
        const std::vector<Change> moved = move_to_end(host);
        changes.insert(changes.end(), moved.begin(), moved.end());
    }
    const auto place = find(by);
    if (place == places_.end() || !place->at_end) return changes;
    const std::vector<Change> again = to_tail(*place);  // it is not to burden the others
    changes.insert(changes.end(), again.begin(), again.end());
    return changes;
}

std::vector<Formation::Change> Formation::found_nobody(HostId host) {
    const auto place = find(host);
    if (place == places_.end() || place->giver == root_id || place->at_end) return {};
    return move_to_end(host);
}

void Formation::leave_out(HostId host) {
    const auto place = find(host);
    if (place == places_.end()) return;
    (void)bequeath(*place);  // they find out by themselves, and earlier
    places_.erase(place);
    forget_rates();
}

// Those behind a host that is gone stood for a while.
void Formation::forget_rates() {
    for (Place& place : places_)
        place.samples.clear();
}

double Formation::Place::rate(std::size_t latest) const {
    const Sample& first = samples[samples.size() - latest];
    const std::chrono::duration<double> time = samples.back().time - first.time;
    return static_cast<double>(samples.back().chunks - first.chunks) / std::max(time.count(), 1e-3);
}

void Formation::progressed(HostId host, ChunkNumber chunks, TimePoint now) {
    const auto place = find(host);
    if (place == places_.end()) return;
    place->spoke = now;
    if (!place->samples.empty() && chunks < place->samples.back().chunks) return;
    place->silent = false;
    place->samples.push_back({now, chunks});
    if (place->samples.size() > samples_after_move) place->samples.pop_front();
}

// To somebody who is not at the end.
bool Formation::gives(const Place& place) const {
    return std::ranges::any_of(places_,
                               [&](const Place& other) { return other.giver == place.id && !other.at_end; });
}

// With whom a host is compared; null: with nobody.
const Formation::Place* Formation::measure(const Place& place) const {
    const Place* best = nullptr;
    for (const Place& other : places_) {
        if (other.id == place.id || other.giver != place.giver || other.at_end) continue;
        if (other.samples.empty()) continue;
        if (!best || other.samples.back().chunks > best->samples.back().chunks) best = &other;
    }
    if (best) return best;
    const auto giver = find(place.giver);
    return giver == places_.end() ? nullptr : &*giver;
}

// What it had is compared with what the other one had earlier, as the two speak at different times.
bool Formation::is_slower(const Place& place, const Place& other) const {
    const std::size_t latest = other.id == blamed_beside_ ? samples_after_move : samples;
    const auto &mine = place.samples, &others = other.samples;
    if (mine.size() < latest || others.size() < latest) return false;
    if (others[others.size() - 2].chunks < mine.back().chunks + least_chunks) return false;
    const bool moves = others.back().chunks >= others[others.size() - latest].chunks + least_chunks;
    return moves && place.rate(latest) < slow_share * other.rate(latest);
}

std::vector<Formation::Change> Formation::relieve() {
    for (Place& place : places_) {
        if (place.accepted || place.at_end || !gives(place)) continue;
        const Place* other = measure(place);
        if (!other || !is_slower(place, *other)) continue;
        moves_there_ = other->id == blamed_beside_ ? moves_there_ + 1 : 1;
        blamed_beside_ = other->id;
        const bool may_blame_giver = other->id == place.giver && other->giver != root_id;
        if (moves_there_ > 2 || (moves_there_ == 2 && !may_blame_giver)) {
            place.accepted = true;
            return {};
        }
        if (moves_there_ == 1) return move_to_end(place.id);
        blamed_beside_ = other->giver;
        return move_to_end(other->id);
    }
    return {};
}

}  // namespace trellis::plugins::bcast
