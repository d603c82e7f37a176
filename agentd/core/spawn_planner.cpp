#include "agentd/core/spawn_planner.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_tries = 3;  // of one target, by different workers

// So many of a crowd may be late or not come at all.
std::size_t few_of(std::size_t crowd) {
    return crowd / 8;
}

}  // namespace

void SpawnPlanner::add_worker(HostId id, std::string name, std::size_t children) {
    const std::size_t allowance = id == root_id ? limits_.width : limits_.first;
    workers_[id] = Worker{std::move(name), children, 0, allowance, 0, true, false, false, 0};
}

void SpawnPlanner::add_target(HostId id, std::string name) {
    pending_.push_back({id, std::move(name), {}, {}, 0});
    look_again();
}

// New targets may be some that a worker can reach which found none before.
void SpawnPlanner::look_again() {
    for (auto& [id, worker] : workers_)
        worker.finds_none = false;
}

bool SpawnPlanner::full(const Worker& worker) const {
    return worker.children + worker.in_flight >= limits_.fan_out;
}

bool SpawnPlanner::may_reach(HostId id, const Worker& worker, const Target& target) const {
    return !target.tried.contains(id) && rule_(worker.name, target.name).has_value();
}

SpawnPlanner::Assignment SpawnPlanner::assign(HostId id, Worker& worker, const Pending& target) {
    Assignment assignment{id, target->id, *rule_(worker.name, target->name), others_may(id, *target)};
    target->generation = worker.generation + 1;
    ++under_way_[target->generation];
    running_[target->id] = std::move(*target);
    pending_.erase(target);
    ++worker.in_flight;
    ++in_flight_;
    return assignment;
}

std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_to(HostId id, Worker& worker) {
    if (worker.in_flight >= worker.allowance || full(worker)) return std::nullopt;
    for (auto target = pending_.begin(); target != pending_.end(); ++target) {
        if (may_reach(id, worker, *target)) return assign(id, worker, target);
    }
    worker.finds_none = true;
    return std::nullopt;
}

// Whether a host that may become a worker can reach the target.
bool SpawnPlanner::others_may_come(const Target& target) const {
    const auto leads_there = [&](const Target& other) {
        return other.id != target.id && rule_(other.name, target.name).has_value();
    };
    return std::any_of(pending_.begin(), pending_.end(), leads_there) ||
           std::any_of(running_.begin(), running_.end(),
                       [&](const auto& entry) { return leads_there(entry.second); });
}

// Whether a worker within its bounds can reach the target, or a host that may become one.
bool SpawnPlanner::others_will(const Target& target) const {
    for (const auto& [id, worker] : workers_) {
        if (worker.trusted && !worker.silent && !full(worker) && may_reach(id, worker, target)) return true;
    }
    return others_may_come(target);
}

// Whether a failure of this worker would not be the last word.
bool SpawnPlanner::others_may(HostId id, const Target& target) const {
    if (id == root_id || target.tried.size() + 1 >= most_tries) return false;
    const auto may = [&](const auto& entry) {
        return entry.first != id && !entry.second.silent && may_reach(entry.first, entry.second, target);
    };
    return std::any_of(workers_.begin(), workers_.end(), may) || others_may_come(target);
}

std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_beyond_bounds(const Pending& target) {
    for (const bool silent : {false, true}) {
        for (auto& [id, worker] : workers_) {
            const bool free = worker.silent == silent && worker.in_flight < worker.allowance;
            if (free && may_reach(id, worker, *target)) return assign(id, worker, target);
        }
    }
    return std::nullopt;
}

bool SpawnPlanner::anybody_may(const Target& target) const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [&](const auto& entry) { return may_reach(entry.first, entry.second, target); });
}

// The first of the pending targets, if it can only be had beyond the bounds. What nobody can reach, now or
// later, is put aside.
std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_first() {
    while (!pending_.empty()) {
        const auto first = pending_.begin();
        if (!first->tried.empty()) {
            const auto root = workers_.find(root_id);
            const bool free = root != workers_.end() && root->second.in_flight < root->second.allowance;
            if (free && may_reach(root_id, root->second, *first)) return assign(root_id, root->second, first);
        }
        if (others_will(*first)) return std::nullopt;
        if (auto assignment = assign_beyond_bounds(first)) return assignment;
        if (anybody_may(*first)) return std::nullopt;
        hopeless_.push_back(std::move(*first));
        pending_.pop_front();
    }
    return std::nullopt;
}

// The fan-out is no bound for what only a full worker can reach (hosts behind one gateway), nor for the root
// where others have failed, nor when nothing else is left to do.
std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_exception() {
    if (auto assignment = assign_first()) return assignment;
    for (auto target = pending_.begin(); in_flight_ == 0 && target != pending_.end(); ++target) {
        if (auto assignment = assign_beyond_bounds(target)) return assignment;
    }
    return std::nullopt;
}

// Whoever has room. The idle ones may take their share of what there is; or all of them, of what the idle
// ones have left, unless more than a few are still on their way to take it.
std::vector<SpawnPlanner::Entry*> SpawnPlanner::takers(bool only_idle) {
    std::vector<Entry*> found;
    std::size_t sharers = 0;
    for (Entry& entry : workers_) {
        const Worker& worker = entry.second;
        if (!worker.trusted || worker.silent || worker.finds_none || full(worker)) continue;
        found.push_back(&entry);
        if (!only_idle || worker.in_flight == 0) ++sharers;
    }
    for (Entry* entry : found) {
        Worker& worker = entry->second;
        const std::size_t awaited = coming(worker.generation);
        if (only_idle ? worker.in_flight > 0 : awaited > few_of(found.size())) continue;
        const std::size_t most = worker.in_flight + share(sharers + awaited - few_of(awaited));
        worker.allowance = std::max(worker.allowance, std::min(most, limits_.width));
    }
    return found;
}

// Logins under way to hosts of this generation and earlier ones.
std::size_t SpawnPlanner::coming(std::size_t generation) const {
    std::size_t logins = 0;
    for (const auto& [each, count] : under_way_)
        if (each <= generation) logins += count;
    return logins;
}

// What falls to each of so many of the targets that may be begun now.
std::size_t SpawnPlanner::share(std::size_t sharers) const {
    const std::size_t room = std::min(pending_.size(), crowd_ - std::min(crowd_, in_flight_));
    return (room + sharers - 1) / sharers;
}

// One each in turn, until nobody takes any more.
void SpawnPlanner::take_turns(std::vector<Entry*> takers, std::vector<Assignment>& assignments) {
    while (!takers.empty() && !pending_.empty()) {
        auto last = takers.begin();
        for (Entry* taker : takers) {
            if (in_flight_ >= crowd_ || pending_.empty()) return;
            const auto assignment = assign_to(taker->first, taker->second);
            if (!assignment) continue;
            assignments.push_back(*assignment);
            *last++ = taker;
        }
        takers.erase(last, takers.end());
    }
}

std::vector<SpawnPlanner::Assignment> SpawnPlanner::next() {
    std::vector<Assignment> assignments;
    while (in_flight_ < crowd_ && !pending_.empty() && !pending_.front().tried.empty()) {
        const auto repeated = assign_first();
        if (!repeated) break;
        assignments.push_back(*repeated);
    }
    take_turns(takers(true), assignments);
    take_turns(takers(false), assignments);
    while (in_flight_ < crowd_) {
        const auto exception = assign_exception();
        if (!exception) break;
        assignments.push_back(*exception);
    }
    return assignments;
}

void SpawnPlanner::set_silent(HostId id, bool silent) {
    if (const auto place = workers_.find(id); place != workers_.end()) place->second.silent = silent;
}

bool SpawnPlanner::others_may_take(HostId worker, HostId target) const {
    const auto place = running_.find(target);
    return place != running_.end() && others_may(worker, place->second);
}

// The login is no longer under way; what is known of the target.
std::optional<SpawnPlanner::Target> SpawnPlanner::release(HostId worker, HostId target) {
    auto node = running_.extract(target);
    if (!node) return std::nullopt;
    --in_flight_;
    --under_way_[node.mapped().generation];
    if (const auto place = workers_.find(worker); place != workers_.end()) --place->second.in_flight;
    return std::move(node.mapped());
}

// So many were under way when one of them ended well after so long.
void SpawnPlanner::adapt_crowd(Duration took, std::size_t together) {
    if (took > limits_.quick) {
        crowd_ = std::max(limits_.crowd, crowd_ - crowd_ / 8);
        return;
    }
    const Duration at_least = std::max<Duration>(took, std::chrono::milliseconds(1));
    const auto times = static_cast<std::size_t>(limits_.quick / (2 * at_least));
    crowd_ = std::max(crowd_ + 1, together * times);
}

void SpawnPlanner::reached(HostId worker, HostId target, Duration took) {
    const std::size_t together = in_flight_;
    const auto released = release(worker, target);
    if (!released) return;
    adapt_crowd(took, together);
    if (const auto place = workers_.find(worker); place != workers_.end()) {
        ++place->second.children;
        place->second.trusted = true;
        place->second.allowance = std::min(place->second.allowance + 1, limits_.width);
    }
    add_worker(target, released->name, 0);
    workers_.at(target).generation = released->generation;
}

void SpawnPlanner::dropped(HostId worker, HostId target) {
    release(worker, target);
}

// An agent that no login has succeeded from is not tried much longer: one refusal or two other failures.
void SpawnPlanner::distrust(HostId id, const Outcome& outcome) {
    const auto place = workers_.find(id);
    if (place == workers_.end() || id == root_id || place->second.children > 0) return;
    if (outcome.kind == FailureKind::refused || ++place->second.failures > 1) place->second.trusted = false;
}

bool SpawnPlanner::failed(HostId worker, HostId target, const Outcome& outcome, bool time_left) {
    auto released = release(worker, target);
    if (!released) return false;
    released->last = outcome;
    const bool dropped = outcome.kind == FailureKind::lost;
    if (!dropped) {
        distrust(worker, outcome);
        released->tried.insert(worker);
    }
    const bool elsewhere = worker != root_id && released->tried.size() < most_tries;
    if (!time_left || !(dropped || elsewhere)) return false;
    pending_.push_front(std::move(*released));
    look_again();
    return true;
}

std::vector<SpawnPlanner::Unreached> SpawnPlanner::stranded() const {
    std::vector<Unreached> left;
    const Outcome nobody = Outcome::of(
        {FailureKind::unreachable, "", "", "no host from which it may be reached is there (see: use)"});
    for (const auto* targets : {&hopeless_, &pending_}) {
        for (const Target& target : *targets)
            left.push_back({target.id, target.last.ok() ? nobody : target.last});
    }
    return left;
}

}  // namespace trellis
