// What scenario tests do in a simulated session: explore, and run a command on hosts while they break things.
// Owned by the test; an ExecRun must not outlive its world.
#pragma once

#include "tests/sim/sim_world.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis::sim {

// Logins from every host to every other one.
RouteRule everywhere();
// An ExploreRequest for these hosts, for a tree with less fan-out than is usual.
ExploreRequest explore_request(std::vector<std::string> hosts, RouteRule rule = everywhere());
std::vector<ExploreOutcome> explore(SimWorld& world, ExploreRequest request);
std::vector<ExploreOutcome> explore(SimWorld& world, std::vector<std::string> hosts);
// How many of them were reached.
std::size_t reached(const std::vector<ExploreOutcome>& outcomes);
// Who was not, and why.
std::string failures(const std::vector<ExploreOutcome>& outcomes);
// PREFIX0 to PREFIX(count - 1).
std::vector<std::string> numbered(const std::string& prefix, std::size_t count);
// Ids of members by name, the lost ones too; all that are not lost if no names are given.
std::vector<HostId> ids(SimWorld& world, const std::vector<std::string>& names = {});

struct ExecOptions {
    std::vector<std::string> hosts;  // empty: all that are there
    std::optional<Duration> timeout;
    std::string directory;
    std::map<std::string, std::string> env;
    Duration reading{0};        // what the reader takes for each piece of output
    bool watch_memory = false;  // fills most_held()
    bool folded = false;        // as `e -b` asks for it
};

struct HostReport {
    std::string out;
    std::string err;
    std::optional<Outcome> outcome;
    Duration took{0};   // until the outcome, from the start of the operation
    int suspected = 0;  // how often
    int resumed = 0;
};

// One `exec` under way. Its reports fill as the world advances.
class ExecRun {
  public:
    ExecRun(SimWorld& world, const std::string& command, const ExecOptions& options = {});

    [[nodiscard]] bool ended() const { return state_->ended; }
    // Advances the world until every host has an outcome.
    void finish();
    void cancel(CancelLevel level) { state_->operation->cancel(level); }
    void abandon() { state_->operation->abandon(); }

    [[nodiscard]] const std::map<std::string, HostReport>& reports() const { return state_->reports; }
    [[nodiscard]] const HostReport& of(const std::string& host) const { return state_->reports.at(host); }
    [[nodiscard]] bool has_outcome(const std::string& host) const { return of(host).outcome.has_value(); }
    [[nodiscard]] std::size_t succeeded() const;
    // Most bytes that all connections held at any piece of output.
    [[nodiscard]] std::size_t most_held() const { return state_->most_held; }

  private:
    struct State {
        SimWorld& world;
        std::unique_ptr<Operation> operation;
        Duration reading{0};
        bool watch_memory = false;
        TimePoint begun{};
        std::map<HostId, std::string> names;
        std::map<std::string, HostReport> reports;
        std::size_t most_held = 0;
        bool ended = false;
    };
    static Task<void> read(std::shared_ptr<State> state);
    static bool note(State& state, OperationEvent event);

    std::shared_ptr<State> state_;
};

// An ExecRun from start to finish.
ExecRun exec(SimWorld& world, const std::string& command, const ExecOptions& options = {});

}  // namespace trellis::sim
