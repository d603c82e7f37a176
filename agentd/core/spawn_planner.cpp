#include "agentd/core/spawn_planner.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

void SpawnPlanner::add_worker(HostId id, std::string name, std::size_t children) {
    const std::size_t allowance = id == root_id ? limits_.width : limits_.first;
    workers_[id] = Worker{std::move(name), children, 0, allowance, true, false};
}

void SpawnPlanner::add_target(HostId id, std::string name) {
    pending_.push_back({id, std::move(name), {}, {}});
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
    Assignment assignment{id, target->id, *rule_(worker.name, target->name)};
    running_[target->id] = std::move(*target);
    pending_.erase(target);
    ++worker.in_flight;
    ++in_flight_;
    return assignment;
}

std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_to(HostId id, Worker& worker) {
    const bool busy = worker.in_flight >= worker.allowance;
    if (busy || worker.finds_none || !worker.trusted || full(worker)) return std::nullopt;
    for (auto target = pending_.begin(); target != pending_.end(); ++target) {
        if (may_reach(id, worker, *target)) return assign(id, worker, target);
    }
    worker.finds_none = true;
    return std::nullopt;
}

// Whether a worker within its bounds can reach the target, or a host that may become one.
bool SpawnPlanner::others_will(const Target& target) const {
    for (const auto& [id, worker] : workers_) {
        if (worker.trusted && !full(worker) && may_reach(id, worker, target)) return true;
    }
    const auto leads_there = [&](const Target& other) {
        return other.id != target.id && rule_(other.name, target.name).has_value();
    };
    return std::any_of(pending_.begin(), pending_.end(), leads_there) ||
           std::any_of(running_.begin(), running_.end(),
                       [&](const auto& entry) { return leads_there(entry.second); });
}

std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_beyond_bounds(const Pending& target) {
    for (auto& [id, worker] : workers_) {
        if (worker.in_flight < worker.allowance && may_reach(id, worker, *target)) {
            return assign(id, worker, target);
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

// One each in turn, so that a wave of targets spreads evenly.
std::vector<SpawnPlanner::Assignment> SpawnPlanner::next() {
    std::vector<Assignment> assignments;
    while (in_flight_ < crowd_ && !pending_.empty() && !pending_.front().tried.empty()) {
        const auto repeated = assign_first();
        if (!repeated) break;
        assignments.push_back(*repeated);
    }
    for (bool progress = true; progress && !pending_.empty();) {
        progress = false;
        for (auto& [id, worker] : workers_) {
            if (in_flight_ >= crowd_) return assignments;
            if (const auto assignment = assign_to(id, worker)) {
                assignments.push_back(*assignment);
                progress = true;
            }
        }
    }
    while (in_flight_ < crowd_) {
        const auto exception = assign_exception();
        if (!exception) break;
        assignments.push_back(*exception);
    }
    return assignments;
}

// The login is no longer under way; what is known of the target.
std::optional<SpawnPlanner::Target> SpawnPlanner::release(HostId worker, HostId target) {
    auto node = running_.extract(target);
    if (!node) return std::nullopt;
    --in_flight_;
    if (const auto place = workers_.find(worker); place != workers_.end()) --place->second.in_flight;
    return std::move(node.mapped());
}

void SpawnPlanner::reached(HostId worker, HostId target, Duration took) {
    const auto released = release(worker, target);
    if (!released) return;
    crowd_ = took <= limits_.quick ? crowd_ + 1 : std::max(limits_.crowd, crowd_ - crowd_ / 8);
    if (const auto place = workers_.find(worker); place != workers_.end()) {
        ++place->second.children;
        place->second.trusted = true;
        place->second.allowance = std::min(place->second.allowance + 1, limits_.width);
    }
    add_worker(target, released->name, 0);
}

void SpawnPlanner::dropped(HostId worker, HostId target) {
    release(worker, target);
}

bool SpawnPlanner::failed(HostId worker, HostId target, const Outcome& outcome) {
    auto released = release(worker, target);
    if (!released) return false;
    const auto place = workers_.find(worker);
    const bool inner = place != workers_.end() && worker != root_id;
    if (inner && outcome.kind == FailureKind::refused && place->second.children == 0) {
        place->second.trusted = false;
    }
    released->tried.insert(worker);
    released->last = outcome;
    const bool once_more =
        worker != root_id && released->tried.size() < 3 && outcome.kind != FailureKind::timed_out;
    if (!once_more) return false;
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
            left.push_back({target.id, target.tried.empty() ? nobody : target.last});
    }
    return left;
}

}  // namespace trellis
