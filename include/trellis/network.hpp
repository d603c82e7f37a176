// Network: the seam under the data plane: authenticated byte streams straight between two agents, encrypted
// unless the session says otherwise.
// A listener lives only as long as the operation that owns it.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/peer.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include <memory>
#include <string>

namespace trellis {

class Network {
  public:
    virtual ~Network() = default;

    struct Incoming {
        HostId peer{};
        std::unique_ptr<ByteStream> stream;
    };

    class Listener {
      public:
        virtual ~Listener() = default;
        [[nodiscard]] virtual Endpoint endpoint() const = 0;
        // The next peer that proved who it is; a Failure once the listener is closed.
        virtual Task<Result<Incoming>> accept() = 0;
        virtual void close() = 0;
    };

    // By which peers know this process.
    [[nodiscard]] virtual PublicKey public_key() const = 0;
    // `session` names the participants and the one-time nonce, as for probing. Who expects another kind of
    // stream than the peer, plain or encrypted, is refused as a stranger is.
    virtual Result<std::unique_ptr<Listener>> listen(const PeerSession& session) = 0;
    virtual Task<Result<std::unique_ptr<ByteStream>>> connect(const PeerSession& session, HostId peer,
                                                              Endpoint at, Duration timeout) = 0;
};

}  // namespace trellis
