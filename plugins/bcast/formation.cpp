#include "plugins/bcast/formation.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t samples = 3;  // what is compared: the time between the first and the last one
constexpr std::size_t samples_after_move = 8;  // as a new connection needs time to get up to its rate
constexpr ChunkNumber least_chunks = 4;        // in that time, by the faster host; and the distance

}  // namespace

Formation::Formation(const std::vector<Member>& chain) {
    for (const Member& member : chain) {
        Place place;
        place.id = member.id;
        place.listens = member.endpoint.port != 0;
        places_.push_back(std::move(place));
    }
}

Formation::Places::iterator Formation::find(HostId host) {
    return std::ranges::find(places_, host, &Place::id);
}

std::vector<Formation::Change> Formation::to_tail(HostId host) const {
    const auto fits = [host](const Place& place) {
        return place.listens && !place.silent && place.id != host;
    };
    const auto tail = std::find_if(places_.rbegin(), places_.rend(), fits);
    if (tail == places_.rend()) return {};
    return {{host, tail->id}};
}

std::vector<Formation::Change> Formation::move_to_end(HostId host) {
    const auto place = find(host);
    if (place == places_.end()) return {};
    place->at_end = true;
    std::rotate(place, place + 1, places_.end());
    forget_rates();
    return to_tail(host);
}

std::vector<Formation::Change> Formation::passed(HostId by, const std::vector<HostId>& hosts) {
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
    const std::vector<Change> again = to_tail(by);  // it is not to burden the others
    changes.insert(changes.end(), again.begin(), again.end());
    return changes;
}

std::vector<Formation::Change> Formation::found_nobody(HostId host) {
    const auto place = find(host);
    if (place == places_.end() || place == places_.begin() || place->at_end) return {};
    return move_to_end(host);
}

void Formation::leave_out(HostId host) {
    std::erase_if(places_, [host](const Place& place) { return place.id == host; });
    forget_rates();
}

// Those behind a host that is gone stood for a while.
void Formation::forget_rates() {
    for (Place& place : places_)
        place.heard.clear();
}

double Formation::Place::rate(std::size_t latest) const {
    const Sample& first = heard[heard.size() - latest];
    const std::chrono::duration<double> time = heard.back().time - first.time;
    return static_cast<double>(heard.back().chunks - first.chunks) / std::max(time.count(), 1e-3);
}

void Formation::progressed(HostId host, ChunkNumber chunks, TimePoint now) {
    const auto place = find(host);
    if (place == places_.end() || (!place->heard.empty() && chunks < place->heard.back().chunks)) return;
    place->silent = false;
    place->heard.push_back({now, chunks});
    if (place->heard.size() > samples_after_move) place->heard.pop_front();
}

// What it had is compared with what the one before it had earlier, as the two speak at different times.
bool Formation::is_slower(const Place& place, const Place& before) const {
    const std::size_t latest = before.id == blamed_before_ ? samples_after_move : samples;
    const auto &mine = place.heard, &others = before.heard;
    if (mine.size() < latest || others.size() < latest) return false;
    if (others[others.size() - 2].chunks < mine.back().chunks + least_chunks) return false;
    const bool moves = others.back().chunks >= others[others.size() - latest].chunks + least_chunks;
    return moves && place.rate(latest) < slow_share * before.rate(latest);
}

std::vector<Formation::Change> Formation::relieve() {
    for (std::size_t i = 1; i + 1 < places_.size() && !places_[i + 1].at_end; ++i) {
        if (places_[i].accepted || !is_slower(places_[i], places_[i - 1])) continue;
        const HostId before = places_[i - 1].id;
        moves_there_ = before == blamed_before_ ? moves_there_ + 1 : 1;
        blamed_before_ = before;
        if (moves_there_ > 2 || (moves_there_ == 2 && i == 1)) {
            places_[i].accepted = true;
            return {};
        }
        const std::size_t blamed = moves_there_ == 1 ? i : i - 1;
        const Change round{places_[blamed + 1].id, places_[blamed - 1].id};
        if (moves_there_ == 2) blamed_before_ = round.to;
        std::vector<Change> changes = move_to_end(places_[blamed].id);
        changes.insert(changes.begin(), round);
        return changes;
    }
    return {};
}

}  // namespace trellis::plugins::bcast
