// Explorer: one `explore`. It spreads agents over the targets as the SpawnPlanner says: the root's own logins
// it makes itself, those of inner agents it grants, many at once, through a "spawn" operation for each of
// them, answering what their logins ask of the user's side. Made and owned by Root::explore().
#pragma once

#include "trellis/operation.hpp"
#include "trellis/world.hpp"

#include "agentd/core/gathered.hpp"
#include "agentd/core/login_attempt.hpp"
#include "agentd/core/mailbox.hpp"
#include "agentd/core/membership.hpp"
#include "agentd/core/node.hpp"
#include "agentd/core/spawn_messages.hpp"
#include "agentd/core/spawn_planner.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>

namespace trellis {

// ssh's settings for a target, e.g. from `ssh -G`.
using SettingsSource = std::function<Task<Result<SshSettings>>(std::string target)>;

struct ExploreRequest {
    std::vector<std::string> hosts;
    std::vector<HostId>
        orphans;  // members that have lost their parent: their agents are looked for, no new ones started
    RouteRule rule;
    SpawnLimits limits;
    Duration login_timeout = std::chrono::seconds(15);
    std::string agent_directory;
    // May be empty: how far it is; an agent that makes logins has fallen silent, or speaks again.
    std::function<void(std::size_t reached, std::size_t ended, std::size_t all)> progress;
    std::function<void(const std::string& host, bool silent)> suspicion;
    // A login has begun (the attempt has no outcome yet), or ended.
    std::function<void(const std::string& host, const LoginAttempt&)> attempt;
};

struct ExploreOutcome {
    std::string name;
    Outcome outcome;
};

class Explorer : public std::enable_shared_from_this<Explorer> {
  public:
    struct Surroundings {
        World world;
        std::shared_ptr<Node> node;
        Membership& membership;
        Operations& operations;
        LoginAuthority& authority;
        SettingsSource settings;
        // Why a host that logged in well is not a member after all; empty if there is no reason.
        std::function<std::string(HostId)> rejection;
    };

    Explorer(Surroundings surroundings, ExploreRequest request);
    // One outcome for each host, in the order of the request.
    Task<std::vector<ExploreOutcome>> run();
    // Gives up what is under way. run() must not be resumed afterwards.
    void stop();

  private:
    struct Target {
        std::size_t index = 0;
        std::string name;
        std::string door;                   // of an orphan
        std::optional<TimePoint> deadline;  // from its first login on
        TimePoint launched;                 // its latest login
        LoginAttempt attempt;               // that login
        int breaks = 0;                     // connections that were dropped in the login
    };
    struct Finished {
        HostId worker{};
        HostId target{};
        Outcome outcome;
        bool rested = false;  // the pause after a dropped connection is over
    };
    // The "spawn" operation of an inner agent.
    struct Spawning {
        std::shared_ptr<Operation> operation;
        std::shared_ptr<Gathered<SpawnCommand>> commands;
    };
    using Self = std::shared_ptr<Explorer>;

    void add_hosts();
    void add_target(HostId id, const std::string& name, std::string door);
    void launch(const SpawnPlanner::Assignment& assignment);
    static Task<void> log_in(Self self, SpawnPlanner::Assignment assignment);
    Task<Result<SpawnRequest>> request_for(const SpawnPlanner::Assignment& assignment);
    Task<Outcome> log_in_from_root(SpawnRequest request, std::unique_ptr<ByteStream> transport);
    Task<Outcome> log_in_end_to_end(SpawnRequest request, HostId via);
    void grant(HostId worker, SpawnRequest request);
    void tell(HostId worker, SpawnCommand command);
    Spawning start_spawning(HostId worker);
    static Task<void> attend(Self self, HostId worker, std::shared_ptr<Operation> operation);
    void suspected(HostId worker, bool silent);
    void handle(HostId worker, SpawnEvent event);
    static Task<void> answer_host_key(Self self, HostId worker, HostKeyQuestion question);
    static Task<void> answer_agent(Self self, HostId worker, AgentQuestion question);
    static Task<void> answer_full_agent(Self self, HostId worker, FullAgentQuestion question);
    static Task<void> take_in_time(Self self, HostId worker, HostId target);
    void worker_ended(HostId worker);
    void note_ended(const Finished& finished);
    [[nodiscard]] bool time_left(HostId target) const;
    static Task<void> rest(Self self, Finished finished);
    void settle(const Finished& finished);
    void conclude(HostId target, Outcome outcome);
    void tell_progress() const;

    Surroundings around_;
    ExploreRequest request_;
    SpawnPlanner planner_;
    std::map<HostId, Target> targets_;
    std::map<HostId, Spawning> spawning_;                       // by worker
    std::map<HostId, std::map<HostId, SpawnRequest>> granted_;  // by worker and target, not reported yet
    std::vector<std::shared_ptr<asio::cancellation_signal>> logins_;  // the root's own
    Mailbox<Finished> finished_;
    std::vector<ExploreOutcome> outcomes_;
    std::size_t ended_ = 0;
    std::size_t reached_ = 0;
    bool stopped_ = false;
};

}  // namespace trellis
