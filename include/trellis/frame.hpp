// Frame: the unit of the control tree. Relays read the header alone. The byte format is in
// trellis-protocol(5).
#pragma once

#include "trellis/host.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace trellis {

enum class OperationId : std::uint32_t {};
inline constexpr OperationId no_operation{0};

enum class FrameType : std::uint8_t {
    hello = 1,   // child to parent, first on a link: version, identity
    welcome,     // parent to child, answers hello: id, settings
    ping,        // link heartbeat; any other frame serves as well
    joined,      // agent to root: a host with its attributes
    suspect,     // agent to root: a child has been silent
    resumed,     // agent to root: a suspect child spoke again
    lost,        // agent to root: a child's link is gone
    start,       // root to agents: begin an operation
    message,     // between the parts of one operation
    cancel,      // root to agents: end an operation
    done,        // agent to root: an operation has ended here
    data,        // stream bytes
    ack,         // stream credit and acknowledgement
    note,        // agent to root: words for the user
    bye,         // parent to child: leave
    resume,      // after a host has come back, both ways: how far each operation had come
    ends,        // towards the root: what several hosts' done frames say, merged
    unreachable  // agent to root: hosts to which a frame found no way
};
inline constexpr std::uint8_t last_frame_type = static_cast<std::uint8_t>(FrameType::unreachable);

struct Frame {
    FrameType type{};
    bool multicast = false;  // the body begins with the set of destinations
    bool bulk = false;       // yields to frames that are not bulk
    HostId source{};
    HostId destination{};
    OperationId operation{};
    std::uint32_t stream = 0;
    std::uint32_t sequence = 0;
    std::string body;
    friend bool operator==(const Frame&, const Frame&) = default;
};

inline constexpr std::size_t frame_header_size = 28;
inline constexpr std::size_t max_frame_body = std::size_t{1} << 22;

}  // namespace trellis
