// TlsListener: takes in the connections of one operation's participants. Owned by whoever listens; close() or
// destruction closes the sockets at once, with every connection that nobody has accepted.
#pragma once

#include "trellis/network.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/os/listening_sockets.hpp"
#include "agentd/os/tls_session.hpp"

#include <functional>
#include <memory>
#include <string>

namespace trellis {

class TlsListener : public Network::Listener {
  public:
    // `context` outlives it. `on_stranger` is called for each one.
    TlsListener(const Executor& executor, const TlsContext& context, PairKeys keys,
                ListeningSockets listening, std::function<void(std::string)> on_stranger);
    ~TlsListener() override;
    [[nodiscard]] Endpoint endpoint() const override;
    Task<Result<Network::Incoming>> accept() override;
    void close() override;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace trellis
