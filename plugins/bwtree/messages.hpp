// What the command at the root and the roles on the hosts say to one another. Rounds are numbered from 1,
// flows by their place in the round.
#pragma once

#include "trellis/host.hpp"
#include "trellis/message.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trellis::plugins::bwtree {

using FlowNumber = std::uint32_t;

// Role to root: it listens.
struct Ready {
    std::uint16_t port = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(port);
    }
};

struct Sending {
    FlowNumber flow = 0;
    HostId to{};
    std::uint16_t port = 0;
    std::uint8_t streams = 1;
    std::uint32_t slot_us = 0;
    std::uint32_t warm_up_us = 0;
    std::uint64_t most_bytes = 0;  // over all streams
    template <class Archive>
    void serialize(Archive& archive) {
        archive(flow, to, port, streams, slot_us, warm_up_us, most_bytes);
    }
};

struct Receiving {
    FlowNumber flow = 0;
    HostId from{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(flow, from);
    }
};

// Root to one host: its part of a round. It connects, sends from Go on, and until Stop.
struct Assignment {
    std::uint32_t round = 0;
    std::vector<Sending> sending;
    std::vector<Receiving> receiving;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round, sending, receiving);
    }
};

struct Go {
    std::uint32_t round = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round);
    }
};

struct Stop {
    std::uint32_t round = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round);
    }
};

// Role to root, of a flow that it is to send.
struct Connected {
    std::uint32_t round = 0;
    FlowNumber flow = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round, flow);
    }
};

// Role to root, of a flow that it sends: the rates at which it arrived in its next slots, in bytes per
// second; whether these are the last, and, if it failed, why.
struct Arrival {
    std::uint32_t round = 0;
    FlowNumber flow = 0;
    std::vector<float> rates;
    bool last = false;
    std::string why;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round, flow, rates, last, why);
    }
};

// Role to root, once it has been told to stop: it sends and takes nothing of this round any more.
struct Idle {
    std::uint32_t round = 0;
    std::uint64_t sent = 0;  // bytes in this round
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round, sent);
    }
};

using ToRole = std::variant<Assignment, Go, Stop>;
using ToRoot = std::variant<Ready, Connected, Arrival, Idle>;

// The first bytes of each stream between two hosts, of a fixed size.
struct StreamHeader {
    std::uint32_t round = 0;
    FlowNumber flow = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(round, flow);
    }
};
inline constexpr std::size_t stream_header_size = 8;

}  // namespace trellis::plugins::bwtree
