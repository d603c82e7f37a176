// TcpProber: the Prober of a real host: small TCP round trips between agents that know each other's keys, on
// a thread of its own. Owned by main.cpp; its sessions may outlive it. Nothing listens unless a session is
// open, and strangers get no byte.
#pragma once

#include "trellis/prober.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/os/probe_loop.hpp"
#include "agentd/os/stranger_report.hpp"

#include <memory>

namespace trellis {

class TcpProber : public Prober {
  public:
    // Results and reports arrive on `executor`, of which the caller runs one thread.
    TcpProber(Executor executor, std::shared_ptr<const SessionKey> key, StrangerReport on_stranger,
              Duration spin = default_probe_spin());

    // Failures: unavailable (no address to listen on), invalid (the session lacks this host).
    // measure() honours asio cancellation of any kind at once.
    Result<std::unique_ptr<Session>> open(PeerSession session) override;

  private:
    Executor executor_;
    std::shared_ptr<const SessionKey> key_;
    StrangerReport on_stranger_;
    Duration spin_;
    std::shared_ptr<ProbeLoop> loop_;  // from the first session on
};

}  // namespace trellis
