// RemoteCluster: the cluster of a session that stays up, as one of its front ends sees it: the session's
// process has the agents, this process the commands, files and terminal. Owned by main.cpp. It never starts
// a session, and gives every host an outcome when the session ends before.
#pragma once

#include "trellis/link.hpp"
#include "trellis/network.hpp"

#include "agentd/core/mailbox.hpp"
#include "shell/session/cluster.hpp"
#include "shell/standing/session_messages.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class RemoteOperation;

class RemoteCluster final : public Cluster, private Operations {
  public:
    // `network`: of this process, which connects to hosts by itself where an operation wants that; it
    // outlives this.
    RemoteCluster(Executor executor, Network& network, std::unique_ptr<Link> link);
    ~RemoteCluster() override;
    RemoteCluster(const RemoteCluster&) = delete;
    RemoteCluster& operator=(const RemoteCluster&) = delete;

    // What the session tells unasked.
    struct Listener {
        std::function<void(const SharedChange&)> shared;
        std::function<void(const std::string& line)> note;
        std::function<void(const std::string& why)> ended;  // once, but not by leave()
    };
    // Returns what the seat held, after `listener` has been told all that the session knows. A Failure says
    // why the session does not take this front end.
    Task<Result<SeatParts>> attach(Attach as, Listener listener);
    // Does nothing after the session has ended.
    void send(const ToSession& message);
    // Returns when the session has taken everything that was sent, or has ended.
    Task<void> leave();

    [[nodiscard]] const Membership& membership() const override { return membership_; }
    void on_change(std::function<void(const Member&)> handler) override { changed_ = std::move(handler); }
    Task<std::vector<ExploreResult>> explore(ExplorePlan plan) override;
    [[nodiscard]] Operations& operations() override { return *this; }

  private:
    friend class RemoteOperation;
    struct Exploring;
    struct Running;

    std::unique_ptr<Operation> start(OperationRequest request) override;
    Task<void> listen(std::shared_ptr<const bool> alive);
    void end(const std::string& why);
    std::vector<ExploreResult> take_results(Exploring& exploring,
                                            const std::vector<std::string>& hosts) const;

    void take(Description&) {}
    void take(Farewell& farewell) { farewell_ = farewell.why; }
    void take(Attached& attached);
    void take(SeatChange& change) { seat_.merge(change.parts); }
    void take(SharedChange& change) { listener_.shared(change); }
    void take(MemberNews& news);
    void take(Note& note) { listener_.note(note.line); }
    void take(ExploreProgress& progress);
    void take(ExploreSuspicion& suspicion);
    void take(ExploreAttempt& attempt);
    void take(ExploreOutcomeNews& news);
    void take(OperationMeets& meets);
    void take(OperationNews& news);
    void take(Written& written);
    void take(CallEnded& ended);

    Executor executor_;
    Network& network_;
    std::unique_ptr<Link> link_;
    Membership membership_;
    Listener listener_;
    std::function<void(const Member&)> changed_;
    SeatParts seat_;  // what it held when this front end came
    bool attached_ = false;
    std::string farewell_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    bool leaving_ = false;
    bool ended_ = false;
    Signal news_;  // attached_ or ended_ is set
    CallNumber last_call_ = 0;
    std::map<CallNumber, Exploring*> exploring_;  // each removes itself
    std::map<CallNumber, std::shared_ptr<Running>>
        operations_;  // until the session ends them, or the command
};

}  // namespace trellis
