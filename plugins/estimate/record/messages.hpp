// What the parts of `estimate record` say to one another: the command at the root of the tree, the roles on
// the hosts. Hosts are numbered by their place among those selected.
#pragma once

#include "trellis/host.hpp"
#include "trellis/message.hpp"
#include "trellis/peer.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trellis::plugins::estimate {

// Role to root: probes are answered at this port.
struct Ready {
    std::uint16_t port = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(port);
    }
};

struct RecordPeer {
    std::uint32_t number = 0;
    HostId id{};
    PublicKey key;
    Endpoint at;  // empty: it is not measured, but measures
    template <class Archive>
    void serialize(Archive& archive) {
        archive(number, id, key, at);
    }
};

// Root to role, once: with whom it has to do.
struct Meet {
    std::vector<RecordPeer> peers;
    std::int64_t timeout_us = 0;  // of one round trip
    template <class Archive>
    void serialize(Archive& archive) {
        archive(peers, timeout_us);
    }
};

// Root to role: one round trip to each peer now.
struct Measure {
    std::uint64_t row = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(row);
    }
};

struct RoundTrip {
    std::uint32_t peer = 0;
    double us = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(peer, us);
    }
};

// Role to root: those that were not lost.
struct Measured {
    std::uint64_t row = 0;
    std::vector<RoundTrip> round_trips;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(row, round_trips);
    }
};

using ToRecorder = std::variant<Ready, Measured>;
using ToRecordRole = std::variant<Meet, Measure>;

}  // namespace trellis::plugins::estimate
