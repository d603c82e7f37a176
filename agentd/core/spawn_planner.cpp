#include "agentd/core/spawn_planner.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

void SpawnPlanner::add_worker(HostId id, std::string name, std::size_t children) {
    const std::size_t allowance = id == root_id ? limits_.width : limits_.first;
    workers_[id] = Worker{std::move(name), children, 0, allowance, true};
}

void SpawnPlanner::add_target(HostId id, std::string name) {
    pending_.push_back({id, std::move(name), {}});
}

// The root's fan-out is no bound where it must take over what others could not reach.
bool SpawnPlanner::free(HostId id, const Worker& worker) const {
    if (!worker.trusted || worker.in_flight >= worker.allowance) return false;
    return id == root_id || worker.children + worker.in_flight < limits_.fan_out;
}

std::optional<SpawnPlanner::Assignment> SpawnPlanner::assign_to(HostId id, Worker& worker) {
    const bool full = worker.children + worker.in_flight >= limits_.fan_out;
    for (auto target = pending_.begin(); target != pending_.end(); ++target) {
        if (target->tried.contains(id)) continue;
        const auto route = rule_(worker.name, target->name);
        if (!route) continue;
        const bool others_may = workers_.size() > 1 || in_flight_ > 0;
        if (full && target->tried.empty() && others_may) continue;
        Assignment assignment{id, target->id, *route};
        running_[target->id] = std::move(*target);
        pending_.erase(target);
        ++worker.in_flight;
        ++in_flight_;
        return assignment;
    }
    return std::nullopt;
}

// One each in turn, so that a wave of targets spreads evenly.
std::vector<SpawnPlanner::Assignment> SpawnPlanner::next() {
    std::vector<Assignment> assignments;
    for (bool progress = true; progress && !pending_.empty();) {
        progress = false;
        for (auto& [id, worker] : workers_) {
            if (!free(id, worker)) continue;
            if (const auto assignment = assign_to(id, worker)) {
                assignments.push_back(*assignment);
                progress = true;
            }
        }
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

void SpawnPlanner::reached(HostId worker, HostId target) {
    const auto released = release(worker, target);
    if (!released) return;
    if (const auto place = workers_.find(worker); place != workers_.end()) {
        ++place->second.children;
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
    if (place != workers_.end() && worker != root_id && outcome.kind == FailureKind::refused) {
        place->second.trusted = false;
    }
    released->tried.insert(worker);
    const bool once_more =
        worker != root_id && released->tried.size() < 3 && outcome.kind != FailureKind::timed_out;
    if (once_more) pending_.push_front(std::move(*released));
    return once_more;
}

std::vector<SpawnPlanner::Unreached> SpawnPlanner::stranded() const {
    std::vector<Unreached> left;
    for (const Target& target : pending_) {
        const std::string cause = target.tried.empty()
                                      ? "no host from which it may be reached is there (see: use)"
                                      : "no other host could reach it";
        left.push_back({target.id, Outcome::of({FailureKind::unreachable, "", "", cause})});
    }
    return left;
}

}  // namespace trellis
