// TlsNetwork: the Network of a real host: TLS connections straight between two agents of one operation, left
// behind after the proof where the operation wants plain ones. Owned by main.cpp; it outlives its listeners.
// Nothing listens unless a listener is open; before the fixed-size hello has proved which participant speaks,
// nothing is parsed and nothing sent.
#pragma once

#include "trellis/network.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/os/stranger_report.hpp"
#include "agentd/os/tls_session.hpp"

#include <memory>

namespace trellis {

class TlsNetwork : public Network {
  public:
    // `executor`: one thread runs it.
    TlsNetwork(Executor executor, std::shared_ptr<const SessionKey> key, StrangerReport on_stranger);

    [[nodiscard]] PublicKey public_key() const override { return key_->public_key(); }
    // Failures: unavailable (no address to listen on), invalid (the session lacks this host).
    Result<std::unique_ptr<Listener>> listen(const PeerSession& session) override;
    // The peer's addresses are tried in turn, those on a shared network first. Failures: unreachable,
    // timed_out, refused (who answers is not the peer, or takes no part), invalid.
    Task<Result<std::unique_ptr<ByteStream>>> connect(const PeerSession& session, HostId peer, Endpoint at,
                                                      Duration timeout) override;

  private:
    const TlsContext& context();

    Executor executor_;
    std::shared_ptr<const SessionKey> key_;
    StrangerReport on_stranger_;
    TlsContext context_;  // made when it is first needed: most agents never do
};

}  // namespace trellis
