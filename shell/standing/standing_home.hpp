// StandingHome: a session that stays up, as the home of one of its front ends: what is changed here is told
// there, and the other way round.
#pragma once

#include "trellis/link.hpp"

#include "shell/running/home.hpp"
#include "shell/standing/remote_cluster.hpp"
#include "shell/standing/session_sharing.hpp"

#include <memory>
#include <optional>
#include <string>

namespace trellis {

class StandingHome final : public Home {
  public:
    // `link`: connected to the session called `name`.
    StandingHome(const Executor& executor, Clock& clock, Network& network, std::unique_ptr<Link> link,
                 std::string name, std::string seat, std::string version);
    [[nodiscard]] Cluster& cluster() override { return remote_; }
    Task<bool> enter(FrontEndParts parts) override;
    Task<void> leave() override;
    [[nodiscard]] std::string farewell() const override;

  private:
    RemoteCluster::Listener listener();
    void take(const SharedChange& change);
    void share();
    void ended(const std::string& why);

    Clock& clock_;
    RemoteCluster remote_;
    std::string name_;
    std::string seat_name_;
    std::string version_;
    SharingLink sharing_;
    SeatParts kept_;  // of the seat, by the session
    std::optional<FrontEndParts> parts_;
};

}  // namespace trellis
