#include "shell/standing/session_sharing.hpp"

#include "shell/session/session_file.hpp"

#include <algorithm>
#include <utility>

#include <cereal/types/set.hpp>

namespace trellis {
namespace {

constexpr std::size_t most_hosts = 8192;  // in one message

// These two every front end has of its own.
bool shared_topic(const std::string& name) {
    return name != "hosts" && name != "selection";
}

std::vector<std::string> rule_texts(const UseRules& rules) {
    std::vector<std::string> texts;
    for (const UseRule& rule : rules.rules())
        texts.push_back(rule.text());
    return texts;
}

template <class T>
void put_part(SeatParts& parts, const std::string& name, const T& value) {
    std::string bytes = encode(value);
    parts[name] = bytes.size() <= most_shared_bytes ? std::move(bytes) : encode(T{});
}

template <class T>
void take_part(const SeatParts& parts, const std::string& name, T& value) {
    const auto part = parts.find(name);
    if (part == parts.end()) return;
    Result<T> decoded = decode<T>(part->second);
    if (decoded) value = std::move(*decoded);
}

}  // namespace

void SharingLink::take_hosts(Session& session, std::vector<SharedChange>& changes) {
    SharedChange change;
    const auto full = [&] {  // begins another one when this one is
        if (change.hosts.size() + change.causes.size() >= most_hosts)
            changes.push_back(std::exchange(change, SharedChange{}));
    };
    for (const HostEntry& entry : session.hosts()) {
        if (hosts_.insert(entry.host.name).second) change.hosts.push_back(entry.host.name);
        full();
    }
    for (const auto& [name, cause] : session.causes()) {
        if (const auto told = causes_.find(name); told == causes_.end() || told->second != cause)
            change.causes[name] = cause;
        full();
    }
    for (const auto& [name, cause] : causes_) {
        if (!session.causes().contains(name)) change.causes[name] = "";
        full();
    }
    causes_ = session.causes();
    if (!change.hosts.empty() || !change.causes.empty()) changes.push_back(std::move(change));
}

void SharingLink::take_rules(const UseRules& rules, std::vector<SharedChange>& changes) {
    std::vector<std::string> now = rule_texts(rules);
    if (now == rules_) return;
    SharedChange change;
    change.rules_cleared =
        rules_.size() > now.size() || !std::equal(rules_.begin(), rules_.end(), now.begin());
    const std::size_t kept = change.rules_cleared ? 0 : rules_.size();
    change.rules.assign(now.begin() + static_cast<std::ptrdiff_t>(kept), now.end());
    rules_ = std::move(now);
    changes.push_back(std::move(change));
}

void SharingLink::take_values(Session& session, std::vector<SharedChange>& changes,
                              std::vector<std::string>& too_large) {
    for (const std::string& name : session.bus().topics()) {
        const Retained& retained = *session.bus().find(name);
        if (!shared_topic(name) || values_[name] == retained.value) continue;
        values_[name] = retained.value;
        SharedChange change;
        change.values.push_back(retained_text(retained));
        if (change.values[0].size() > most_shared_bytes)
            too_large.push_back(name);
        else
            changes.push_back(std::move(change));
    }
}

std::vector<SharedChange> SharingLink::take_changes(Session& session, std::vector<std::string>& too_large) {
    std::vector<SharedChange> changes;
    take_hosts(session, changes);
    take_rules(session.rules(), changes);
    take_values(session, changes, too_large);
    return changes;
}

Result<void> SharingLink::apply(Session& session, const SharedChange& change) {
    Result<void> result{};
    session.name_hosts(change.hosts);
    hosts_.insert(change.hosts.begin(), change.hosts.end());
    for (const auto& [name, cause] : change.causes) {
        session.set_cause(name, cause);
        if (cause.empty())
            causes_.erase(name);
        else
            causes_[name] = cause;
    }
    if (change.rules_cleared) {
        session.rules().clear();
        rules_.clear();
    }
    for (const std::string& text : change.rules) {
        Result<UseRule> rule = read_use_rule(text);
        rules_.push_back(text);
        if (rule)
            session.rules().add(std::move(*rule));
        else
            result = rule.error();
    }
    for (const std::string& text : change.values) {
        Result<Retained> retained = read_retained(session, text);
        if (!retained) {
            result = retained.error();
            continue;
        }
        values_[retained->name] = retained->value;
        session.bus().restore(std::move(*retained));
    }
    session.publish_hosts();
    return result;
}

SeatParts seat_parts(const Seat& seat) {
    SeatParts parts;
    const bool with_history = encode(seat.masks()).size() <= most_shared_bytes;
    put_part(parts, "selection", with_history ? seat.masks() : seat.masks().without_history());
    put_part(parts, "outcomes", seat.outcomes());
    put_part(parts, "output", seat.last_output);
    put_part(parts, "places", seat.places.groups());
    return parts;
}

void restore_seat(Seat& seat, const SeatParts& parts) {
    seat.change_masks([&](Masks& masks) { take_part(parts, "selection", masks); });
    std::map<std::string, Outcome> outcomes = seat.outcomes();
    take_part(parts, "outcomes", outcomes);
    seat.note_outcomes(std::move(outcomes));
    take_part(parts, "output", seat.last_output);
    std::vector<PlaceGroup> places = seat.places.groups();
    take_part(parts, "places", places);
    seat.places = Places(places);
}

SeatParts changed_parts(const SeatParts& before, const SeatParts& now) {
    SeatParts changed;
    for (const auto& [name, bytes] : now)
        if (const auto old = before.find(name); old == before.end() || old->second != bytes)
            changed[name] = bytes;
    return changed;
}

}  // namespace trellis
