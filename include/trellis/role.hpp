// Role: the agent side of a plugin or of a built-in operation. The agent makes one for each operation that
// starts and destroys it when run() returns; a role that is to survive its operation does not exist.
#pragma once

#include "trellis/outcome.hpp"
#include "trellis/peer.hpp"
#include "trellis/task.hpp"
#include "trellis/world.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace trellis {

enum class CancelLevel : std::uint8_t { interrupt, terminate, kill };

struct RoleMessage {
    HostId from{};
    std::string body;
};

// What an agent offers to one running operation. Owned by the agent, valid until run() returns.
class RoleContext {
  public:
    virtual ~RoleContext() = default;
    [[nodiscard]] virtual const World& world() const = 0;
    // The body with which the operation was started.
    [[nodiscard]] virtual const std::string& request() const = 0;
    // This host and, if the operation was started with `peers`, all others of it, as in the membership view
    // that it froze. Else the participants are this host alone, and peers may be introduced to a Prober.
    [[nodiscard]] virtual const PeerSession& peers() const = 0;
    // The next message from the root or from a participant; a Failure of kind cancelled when the operation
    // ends.
    virtual Task<Result<RoleMessage>> receive() = 0;
    // To the root (root_id) or to a participant, over the control tree.
    virtual void send(HostId to, std::string body) = 0;
    // Stream bytes to the root, within the credit that the root has given; waits for credit.
    virtual Task<Result<void>> write(std::uint32_t stream, std::string bytes) = 0;
    virtual void finish(std::uint32_t stream) = 0;  // end of that stream
    // Stream bytes from the root; empty at the end.
    virtual Task<Result<std::string>> read(std::uint32_t stream) = 0;
    // Replaces what happens on cancel. Without a handler run() is cancelled by asio (operation_aborted) at
    // any level; with one, only at the level kill and at the end of the allowed time.
    virtual void on_cancel(std::function<void(CancelLevel)> handler) = 0;
};

struct RoleResult {
    Outcome outcome;
    std::string body;  // for the command at the root
    template <class Archive>
    void serialize(Archive& archive) {
        archive(outcome, body);
    }
};

class Role {
  public:
    virtual ~Role() = default;
    virtual Task<RoleResult> run(RoleContext& context) = 0;
};

// One row of the agent's table of operations.
struct RoleEntry {
    std::string_view kind;
    std::unique_ptr<Role> (*make)();
};

}  // namespace trellis
