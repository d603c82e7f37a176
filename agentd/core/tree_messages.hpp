// Bodies of the frames by which the control tree itself is kept (hello, welcome, joined, lost, start,
// cancel).
#pragma once

#include "trellis/host.hpp"
#include "trellis/message.hpp"
#include "trellis/role.hpp"
#include "trellis/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

inline constexpr std::uint32_t protocol_version = 1;

// How the tree notices silence (design: suspect after 3 s, lost after a lease of 30 s).
struct TreeSettings {
    Duration heartbeat = std::chrono::seconds(1);
    Duration suspect_after = std::chrono::seconds(3);
    Duration lease = std::chrono::seconds(30);
    template <class Archive>
    void serialize(Archive& archive) {
        archive(heartbeat, suspect_after, lease);
    }
};

// Child to parent, first frame on a link.
struct Hello {
    std::uint32_t version = protocol_version;
    std::string machine;
    std::vector<Address> addresses;
    PublicKey key;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(version, machine, addresses, key);
    }
};

// Parent to child, in answer.
struct Welcome {
    HostId id{};
    Incarnation incarnation{};
    std::string name;
    TreeSettings settings;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id, incarnation, name, settings);
    }
};

// To the root; the frame's source is the host that joined.
struct Joined {
    Host host;
    HostId parent{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(host, parent);
    }
};

// Bodies of suspect, resumed and lost: about a child of the frame's source and everything below it.
struct ChildNews {
    HostId child{};
    std::vector<HostId> below;  // with `lost`: all hosts that went with it, the child among them
    std::string cause;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(child, below, cause);
    }
};

struct StartOperation {
    std::string kind;
    std::string request;
    std::optional<Duration> remaining;
    std::string nonce;               // with peers
    std::vector<Host> participants;  // with peers
    template <class Archive>
    void serialize(Archive& archive) {
        archive(kind, request, remaining, nonce, participants);
    }
};

struct CancelOperation {
    CancelLevel level{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(level);
    }
};

}  // namespace trellis
