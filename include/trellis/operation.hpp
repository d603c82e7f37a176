// Operation: the root's side of something that runs on many agents. It yields events until every host has an
// outcome; a host that dies, hangs or was never there gets its outcome from the root, so that nobody waits
// for it.
#pragma once

#include "trellis/peer.hpp"
#include "trellis/role.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trellis {

struct StreamData {
    std::uint32_t stream = 0;
    std::string bytes;
    bool end = false;
};
struct HostMessage {
    std::string body;
};
struct HostSuspicion {
    bool suspect = false;  // false: it speaks again
};

struct OperationEvent {
    HostId host{};
    std::variant<HostMessage, StreamData, HostSuspicion, RoleResult>
        what;  // RoleResult: the last one of that host
};

// Owned by the command that started it; destroying it kills what still runs.
class Operation {
  public:
    virtual ~Operation() = default;
    // The next event; the one returned before counts as consumed (it gives its credit back to the sender).
    // nullopt when every host has ended.
    virtual Task<std::optional<OperationEvent>> next() = 0;
    virtual void send(HostId to, std::string body) = 0;
    virtual void send_all(std::string body) = 0;
    // Stream bytes to one host, within its credit.
    virtual Task<Result<void>> write(HostId to, std::uint32_t stream, std::string bytes) = 0;
    virtual void finish(HostId to, std::uint32_t stream) = 0;
    // Straight to a host that listens, if the operation was started with `root_meets`. Failures: those of
    // Network::connect(); unavailable if it was not.
    virtual Task<Result<std::unique_ptr<ByteStream>>> connect(HostId, Endpoint, Duration) {
        co_return Failure{FailureKind::unavailable, "connect to a host", "", "the root meets none"};
    }
    // The root among those who meet: what it connects with.
    [[nodiscard]] virtual PeerSession meeting() const { return {}; }
    virtual void cancel(CancelLevel level) = 0;
    // Gives every host that has not ended yet the outcome "cancelled" and ends the operation at once.
    virtual void abandon() = 0;
    [[nodiscard]] virtual OperationId id() const = 0;
};

struct OperationRequest {
    std::string kind;
    std::vector<HostId> hosts;
    std::string body;
    std::optional<Duration> timeout;  // on every host, from the moment that it starts there
    bool peers = false;               // the agents will meet directly: send them the participants and a nonce
    bool root_meets = false;          // the root is one of these participants
    PublicKey root_key{};             // by which they know it; empty: that of the root's own process
    bool plain = false;               // as in PeerSession
};

class Operations {
  public:
    virtual ~Operations() = default;
    virtual std::unique_ptr<Operation> start(OperationRequest request) = 0;
};

}  // namespace trellis
