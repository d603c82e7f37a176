// What two agents need to meet directly within one operation: where a peer listens, and who may take part.
#pragma once

#include "trellis/frame.hpp"
#include "trellis/host.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

// Where a peer listens: its addresses in order of preference, one port.
struct Endpoint {
    std::vector<Address> addresses;
    std::uint16_t port = 0;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(addresses, port);
    }
};

// Who takes part in an operation. The key of a pair is derived from the two hosts' X25519 keys (the private
// one stays in its agent) and the nonce, which the root draws anew for each operation: it authenticates this
// pair, once.
struct PeerSession {
    OperationId operation{};
    std::string nonce;  // 32 bytes
    HostId self{};
    std::vector<Host> participants;  // including self
    bool plain = false;              // streams between them are authenticated, but not encrypted
};

}  // namespace trellis
