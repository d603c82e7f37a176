// The agent's built-in operation "tunnel": a TCP connection from the agent's host whose bytes travel to and
// from the root (stream 1 both ways), so that the root can log in end to end and the host in between only
// relays.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/message.hpp"
#include "trellis/operation.hpp"
#include "trellis/role.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace trellis {

struct TunnelRequest {
    std::string host;
    std::uint16_t port = 22;
    Duration timeout{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(host, port, timeout);
    }
};

RoleEntry tunnel_role();

// The root's end: a ByteStream through `via`. Failures: those of dialling there.
Task<Result<std::unique_ptr<ByteStream>>> open_tunnel(Operations& operations, HostId via,
                                                      TunnelRequest request);

}  // namespace trellis
