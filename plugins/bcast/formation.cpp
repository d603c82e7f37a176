#include "plugins/bcast/formation.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr Duration window = std::chrono::milliseconds(500);  // for which rates are compared
// As a new connection needs time to get up to its rate.
constexpr Duration window_after_move = std::chrono::milliseconds(3500);
constexpr Duration trial = std::chrono::seconds(1);  // at the end, of a host that was moved for being slow
constexpr double quick_share = 0.8;                  // of the rate of its giver there: it is not slow
constexpr Duration lately = std::chrono::seconds(1);
constexpr int most_standing = 10;                    // reports without anything, a second of few hosts
constexpr double least_rate = 1 << 18;               // bytes a second, of the faster host
constexpr double least_distance = 2.0 * chunk_size;  // bytes: less may lie in buffers

// Slower than `rate` since then, and that in each part of the time: who stands still for a moment is quick
// before or after it.
bool is_all_slow(const Pace& pace, TimePoint from, double rate) {
    constexpr int parts = 3;
    const Duration part = (pace.end() - from) / parts;
    for (int i = 0; i < parts; ++i)
        if (pace.rate(from + i * part, from + (i + 1) * part) >= rate) return false;
    return true;
}

}  // namespace

Formation::Formation(const Begin& begin) : source_(begin.source) {
    const std::vector<Member> nodes = begin.nodes();
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        Place place;
        place.id = nodes[node].id;
        place.rank = node + 1;
        place.giver = node == 0 ? root_id : nodes[giver_of(begin.method, node)].id;
        place.listens = nodes[node].endpoint.port != 0;
        place.done = place.id == source_;
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

bool Formation::waits(HostId host) const {
    const auto place = find(host);
    return place != places_.end() && place->waits;
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

bool Formation::takes_from(HostId host, HostId from) const {
    std::map<HostId, HostId> givers;
    for (const Place& place : places_)
        givers[place.id] = place.giver;
    while (host != from) {
        const auto next = givers.extract(host);
        if (next.empty()) return false;
        host = next.mapped();
    }
    return true;
}

bool Formation::can_give(const Place& place, const Place& to) const {
    return place.listens && !place.silent && !place.waits && place.id != to.id &&
           !to.unreached.contains(place.id) && !takes_from(place.id, to.id);
}

bool Formation::is_recent(TimePoint then) const {
    return latest_ - then <= lately;
}

std::vector<Formation::Change> Formation::to_tail(Place& place) {
    const auto fits = [&](const Place& other) { return can_give(other, place); };
    const auto speaks = [&](const Place& other) { return fits(other) && is_recent(other.spoke); };
    const auto is_quick = [&](const Place& other) { return speaks(other) && !other.slow; };
    auto tail = std::find_if(places_.rbegin(), places_.rend(), is_quick);
    if (tail == places_.rend()) tail = std::find_if(places_.rbegin(), places_.rend(), speaks);
    if (tail == places_.rend()) tail = std::find_if(places_.rbegin(), places_.rend(), fits);
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

// Its giver has no rate any more with which to compare it.
std::vector<Formation::Change> Formation::pass_standing_one() {
    for (Place& place : places_) {
        if (place.at_end || place.done || place.stood < most_standing || !gives(place)) continue;
        place.slow = true;
        return move_to_end(place.id);
    }
    return {};
}

// For a giver that had less: in that time it could get nothing.
bool Formation::has_waited(const Place& place, const Place& giver, Duration least) {
    const auto from = place.pace.empty() ? std::nullopt : place.pace.before_end(least);
    return from && giver.pace.bytes_at(*from) < place.pace.bytes_at(*from);
}

std::vector<Formation::Change> Formation::hold_slow_one() {
    for (Place& place : places_) {
        const auto giver = find(place.giver);
        if (!place.at_end || place.waits || giver == places_.end()) continue;
        const Duration least = place.slow ? trial : window_after_move;
        if (has_waited(place, *giver, least) || !is_slower(place, *giver, least)) continue;
        std::vector<Change> changes = bequeath(place);
        place.waits = true;
        place.giver = place.id;
        changes.push_back({place.id, place.id});
        return changes;
    }
    return {};
}

// Its place is as it left it, it keeps up with its giver here, and nobody waits long for it there.
bool Formation::may_return(const Place& place) const {
    const auto giver = find(place.giver);
    if (!place.at_end || place.waits || place.done || place.silent || place.returned || !place.listens ||
        place.seat.size() < 2 || giver == places_.end())
        return false;
    const auto from = place.pace.empty() ? std::nullopt : place.pace.before_end(trial);
    if (!from || giver->pace.empty() || giver->pace.begin() > *from) return false;
    const double rate = giver->pace.rate(*from, place.pace.end());
    if (rate < least_rate || place.pace.rate(*from, place.pace.end()) < quick_share * rate) return false;
    const auto before = find(place.seat.front());
    if (before == places_.end() || before->at_end || !can_give(*before, place)) return false;
    return std::all_of(place.seat.begin() + 1, place.seat.end(), [&](HostId id) {
        const auto heir = find(id);
        return heir != places_.end() && heir->giver == before->id && !heir->at_end && !heir->done &&
               !heir->unreached.contains(place.id) && heir->has - place.has <= 2 * best_ &&
               !is_slower(*heir, *before, trial);
    });
}

void Formation::remember_seat(Place& place) const {
    place.seat = {place.giver};
    for (const Place& heir : places_)
        if (heir.giver == place.id) place.seat.push_back(heir.id);
}

std::vector<Formation::Change> Formation::return_quick_one() {
    const auto quick = std::ranges::find_if(places_, [&](const Place& place) { return may_return(place); });
    if (quick == places_.end()) return {};
    Place place = *quick;
    places_.erase(quick);
    std::vector<Change> changes = bequeath(place);  // who takes it from this one at the end
    const auto before = find(place.seat.front());
    place.giver = before->id;
    place.at_end = place.slow = false;
    place.returned = true;
    changes.push_back({place.id, place.giver});
    for (auto heir = place.seat.begin() + 1; heir != place.seat.end(); ++heir) {
        find(*heir)->giver = place.id;
        changes.push_back({*heir, place.id});
    }
    places_.insert(before + 1, std::move(place));
    blamed_beside_.reset();
    forget_rates();
    return changes;
}

std::vector<Formation::Change> Formation::call_all() {
    std::vector<Change> changes;
    std::ranges::stable_sort(places_, {}, [](const Place& place) { return place.waits ? place.rank : 0; });
    for (Place& place : places_) {
        if (!std::exchange(place.waits, false)) continue;
        place.giver = root_id;  // if there is no tail
        (void)to_tail(place);
        changes.push_back({place.id, place.giver});
    }
    return changes;
}

std::vector<Formation::Change> Formation::line_up(bool all_at_end) {
    std::map<HostId, int> takers;
    for (const Place& place : places_)
        if (place.at_end == all_at_end && !place.waits && !place.silent && !place.done) ++takers[place.giver];
    for (Place& place : places_) {
        if (!place.at_end || place.done || place.waits || !is_recent(place.grew)) continue;
        const auto shared = takers.find(place.giver);
        if (shared == takers.end() || (all_at_end && shared->second == 1)) continue;
        const auto is_free = [&](const Place& other) {
            return !takers.contains(other.id) && is_recent(other.spoke) && other.has + best_ >= place.has &&
                   can_give(other, place);
        };
        const auto tail = std::find_if(places_.rbegin(), places_.rend(), is_free);
        if (tail == places_.rend()) continue;
        place.giver = tail->id;
        place.pace.clear();
        return {{place.id, tail->id}};
    }
    return {};
}

std::vector<Formation::Change> Formation::passed(HostId by, const std::vector<HostId>& hosts, HostId giver) {
    const auto passer = find(by);
    if (passer == places_.end()) return {};
    HostId before = passer->giver;
    for (std::size_t i = 0; i < places_.size() && std::ranges::find(hosts, before) != hosts.end(); ++i)
        before = this->giver(before);
    passer->giver = giver;
    std::vector<Change> changes;
    for (const HostId host : hosts) {
        const auto place = find(host);
        if (place == places_.end() || place->id == source_) continue;
        place->silent = true;
        if (place->at_end) continue;
        const std::vector<Change> moved = move_to_end(host);
        changes.insert(changes.end(), moved.begin(), moved.end());
    }
    const auto place = find(by);
    if (place->at_end) {  // it is not to burden the others
        const std::vector<Change> again = to_tail(*place);
        changes.insert(changes.end(), again.begin(), again.end());
    } else if (takes_from(giver, by) || waits(giver)) {  // since that was moved
        place->giver = before;
        changes.push_back({by, before});
    }
    return changes;
}

void Formation::cannot_reach(HostId host, const std::vector<HostId>& others) {
    const auto place = find(host);
    if (place != places_.end()) place->unreached.insert(others.begin(), others.end());
}

std::vector<Formation::Change> Formation::found_nobody(HostId host) {
    const auto place = find(host);
    if (place == places_.end() || place->giver == root_id || place->at_end) return {};
    return move_to_end(host);
}

Formation::Change Formation::back_to_source(HostId host) {
    const auto place = find(host);
    if (place != places_.end()) place->giver = source_;
    return {host, source_};
}

void Formation::leave_out(HostId host) {
    const auto place = find(host);
    if (place == places_.end()) return;
    (void)bequeath(*place);  // they find out by themselves, and earlier
    places_.erase(place);
    forget_rates();
}

void Formation::finished(HostId host, Position end) {
    const auto place = find(host);
    if (place == places_.end()) return;
    place->done = true;
    place->has = std::max(place->has, end.bytes());
}

// Those behind a host that is gone stood for a while.
void Formation::forget_rates() {
    for (Place& place : places_)
        place.pace.clear();
}

void Formation::progressed(HostId host, Position end, TimePoint now) {
    const auto place = find(host);
    if (place == places_.end()) return;
    place->spoke = latest_ = now;
    const auto giver = find(place->giver);
    const bool could_grow =
        giver != places_.end() && giver->id != source_ && giver->done && giver->has > end.bytes();
    place->stood = could_grow && end.bytes() == place->has ? place->stood + 1 : 0;
    if (end.bytes() > std::exchange(place->has, end.bytes())) place->grew = now;
    Pace& pace = place->pace;
    if (pace.empty() || end.bytes() >= pace.bytes()) place->silent = false;
    pace.add(now, end.bytes(), window_after_move);
    const auto from = pace.before_end(window);
    if (from && place->giver == source_ && !place->done)
        best_ = std::max(best_, pace.rate(*from, pace.end()));
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
        if (other.id == place.id || other.giver != place.giver || other.at_end || other.done) continue;
        if (other.pace.empty()) continue;
        if (!best || other.pace.bytes() > best->pace.bytes()) best = &other;
    }
    if (best) return best;
    const auto giver = find(place.giver);
    return giver == places_.end() ? nullptr : &*giver;
}

// Over the same time, as the two speak at different times.
bool Formation::is_slower(const Place& place, const Place& other, Duration least) const {
    const Pace &mine = place.pace, &theirs = other.pace;
    const auto from = mine.empty() ? std::nullopt : mine.before_end(least);
    if (!from || theirs.empty() || theirs.begin() > *from) return false;
    const TimePoint to = mine.end();
    // The source goes on as those do that take it from there; another one may be catching up.
    const double in_the_long_run = theirs.rate(theirs.begin(), theirs.end());
    const double rate = other.id == source_ ? best_ : std::min(theirs.rate(*from, to), in_the_long_run);
    if (rate < least_rate || !is_all_slow(mine, *from, slow_share * rate)) return false;
    return theirs.bytes_at(to) - mine.bytes() >= least_distance;
}

std::vector<Formation::Change> Formation::relieve() {
    const auto at_work = [](const Place& place) { return !place.at_end && !place.done; };
    const bool all_at_end = std::ranges::none_of(places_, at_work);
    std::vector<Change> changes = all_at_end ? call_all() : hold_slow_one();
    if (changes.empty() && !all_at_end) changes = return_quick_one();
    if (changes.empty()) changes = line_up(all_at_end);
    if (changes.empty() && !all_at_end) changes = pass_standing_one();
    if (all_at_end || !changes.empty()) return changes;
    for (Place& place : places_) {
        if (place.accepted || place.at_end || place.done || !gives(place)) continue;
        const Place* other = measure(place);
        if (!other) continue;
        const bool again = other->id == blamed_beside_;
        if (!is_slower(place, *other, again || place.returned ? window_after_move : window)) continue;
        moves_there_ = again ? moves_there_ + 1 : 1;
        blamed_beside_ = other->id;
        const bool may_blame_giver = other->id == place.giver && other->id != source_;
        if (moves_there_ > 2 || (moves_there_ == 2 && !may_blame_giver)) {
            place.accepted = true;
            return {};
        }
        if (moves_there_ == 2) blamed_beside_ = other->giver;
        const auto slow = moves_there_ == 1 ? find(place.id) : find(other->id);
        slow->slow = true;
        if (moves_there_ == 1) remember_seat(*slow);  // who gives slowly does not go back
        return move_to_end(slow->id);
    }
    return {};
}

}  // namespace trellis::plugins::bcast
