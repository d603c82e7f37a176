// SpawnPlanner: who logs in to whom, and when. Pure: targets and workers in, assignments out. A worker is the
// root or an agent that has joined. Whoever is idle takes a batch of targets, its share of those that may be
// begun now: they are divided among all that are idle and those of the same generation that are on their way,
// so that they spread over the tree instead of piling up at whoever came first, and nobody waits for the
// slowest of a round. So many, and one more for each success, the worker may have under way from then on.
//
// All together, as many logins run at once as end quickly. What they share (a machine, a directory server) is
// at worst divided evenly among them: if `n` at once take a time t each, n * T / t take T. A success lets so
// many run that they would take half of what is quick; a slow one lets an eighth less. Owned by an Explorer.
#pragma once

#include "trellis/host.hpp"
#include "trellis/outcome.hpp"
#include "trellis/spawner.hpp"
#include "trellis/time.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trellis {

// How `to` is reached from `from` by the user's rules.
struct Route {
    SpawnWay way = SpawnWay::libssh;
    bool end_to_end = false;     // the root logs in, `from` only relays bytes
    bool forward_agent = false;  // signatures by the root's ssh-agent may be asked for
    std::string target;          // for ssh; empty: the host's name
};
// Names in; nullopt if `to` must not be reached from `from`. The root's name is "root".
using RouteRule = std::function<std::optional<Route>(const std::string& from, const std::string& to)>;

struct SpawnLimits {
    std::size_t fan_out = 64;  // most children of one node, as long as others can reach the rest
    std::size_t first = 2;     // logins at once that a new agent starts with, if its share is not more
    std::size_t width = 64;    // logins at once of the root, and at most of an agent
    std::size_t crowd = 64;    // logins at once of all together, to begin with and at least
    Duration quick = std::chrono::seconds(3);  // what a login takes that is not slow
};

class SpawnPlanner {
  public:
    struct Assignment {
        HostId worker{};
        HostId target{};
        Route route;
        bool others = false;  // may try it if this login fails
    };
    struct Unreached {
        HostId target{};
        Outcome outcome;
    };

    SpawnPlanner(RouteRule rule, SpawnLimits limits)
        : rule_(std::move(rule)), limits_(limits), crowd_(limits.crowd) {}
    void add_worker(HostId id, std::string name, std::size_t children);
    void add_target(HostId id, std::string name);

    // The logins to start now.
    std::vector<Assignment> next();
    // A login ended well after so long: the target has become a worker.
    void reached(HostId worker, HostId target, Duration took);
    // A login failed. With time left, what an inner agent could not reach is tried from elsewhere (the root
    // first), and where the connection was dropped (FailureKind::lost), the login is repeated from anywhere.
    // Returns true if it will be tried again.
    bool failed(HostId worker, HostId target, const Outcome& outcome, bool time_left);
    // A login ended well but the target is not wanted: it is the same machine as another host.
    void dropped(HostId worker, HostId target);
    // The worker is gone; its logins are to be reported as failed by the caller.
    void remove_worker(HostId worker) { workers_.erase(worker); }
    // Nothing is heard of it: it is given only what nobody else can reach.
    void set_silent(HostId worker, bool silent);
    // Whether another worker may try what this one has under way.
    [[nodiscard]] bool others_may_take(HostId worker, HostId target) const;

    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
    // With nothing in flight and nothing to assign: what is left has nobody (more) who may reach it.
    [[nodiscard]] std::vector<Unreached> stranded() const;

  private:
    struct Worker {
        std::string name;
        std::size_t children = 0;
        std::size_t in_flight = 0;
        std::size_t allowance = 0;
        std::size_t failures = 0;
        bool trusted = true;  // false after failures without any success: it may lack credentials or routes
        bool finds_none = false;     // among the pending targets there is none for it
        bool silent = false;         // nothing is heard of it
        std::size_t generation = 0;  // of those who were there before: 0; of those whom they reach: 1
    };
    using Entry = std::map<HostId, Worker>::value_type;
    struct Target {
        HostId id{};
        std::string name;
        std::set<HostId> tried;
        Outcome last;                // of the tries; a success: there was none
        std::size_t generation = 0;  // while its login is under way
    };
    using Pending = std::deque<Target>::iterator;
    void look_again();
    std::vector<Entry*> takers(bool only_idle);
    [[nodiscard]] std::size_t coming(std::size_t generation) const;
    [[nodiscard]] std::size_t share(std::size_t sharers) const;
    void take_turns(std::vector<Entry*> takers, std::vector<Assignment>& assignments);
    [[nodiscard]] bool full(const Worker& worker) const;
    [[nodiscard]] bool may_reach(HostId id, const Worker& worker, const Target& target) const;
    [[nodiscard]] bool others_may_come(const Target& target) const;
    [[nodiscard]] bool others_will(const Target& target) const;
    [[nodiscard]] bool others_may(HostId id, const Target& target) const;
    void distrust(HostId id, const Outcome& outcome);
    Assignment assign(HostId id, Worker& worker, const Pending& target);
    std::optional<Assignment> assign_beyond_bounds(const Pending& target);
    [[nodiscard]] bool anybody_may(const Target& target) const;
    std::optional<Assignment> assign_first();
    std::optional<Assignment> assign_exception();
    std::optional<Target> release(HostId worker, HostId target);
    std::optional<Assignment> assign_to(HostId id, Worker& worker);
    void adapt_crowd(Duration took, std::size_t together);

    RouteRule rule_;
    SpawnLimits limits_;
    std::map<HostId, Worker> workers_;
    std::deque<Target> pending_;
    std::deque<Target> hopeless_;
    std::map<HostId, Target> running_;
    std::map<std::size_t, std::size_t> under_way_;  // logins, by generation of the target
    std::size_t in_flight_ = 0;
    std::size_t crowd_;
};

}  // namespace trellis
