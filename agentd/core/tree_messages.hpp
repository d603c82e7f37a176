// Bodies of the frames by which the control tree itself is kept (hello, welcome, joined, lost, start,
// cancel).
#pragma once

#include "trellis/frame.hpp"
#include "trellis/host.hpp"
#include "trellis/message.hpp"
#include "trellis/role.hpp"
#include "trellis/time.hpp"

#include "agentd/core/stream.hpp"

#include <cstdint>
#include <map>
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
    // How long an agent whose link to its parent has ended waits for another one.
    Duration orphan_grace = std::chrono::seconds(15);
    std::string session;  // a name that no other session has
    template <class Archive>
    void serialize(Archive& archive) {
        archive(heartbeat, suspect_after, lease, orphan_grace, session);
    }
};

// The name of the door of an agent, on its host.
[[nodiscard]] inline std::string door_of(const TreeSettings& settings, HostId id) {
    return "trellis-" + settings.session + "-" + std::to_string(static_cast<std::uint32_t>(id));
}

// Child to parent, first frame on a link.
struct Hello {
    std::uint32_t version = protocol_version;
    std::string machine;
    std::vector<Address> addresses;
    PublicKey key;
    HostId id{};                // of an orphan that looks for a parent; 0: a new agent
    std::vector<HostId> below;  // of an orphan: who comes with it
    template <class Archive>
    void serialize(Archive& archive) {
        archive(version, machine, addresses, key, id, below);
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

// The body of joined is a list of these, about children of the frame's source.
struct Joined {
    Host host;
    HostId parent{};
    std::vector<HostId> below;  // of an orphan that has found a parent
    template <class Archive>
    void serialize(Archive& archive) {
        archive(host, parent, below);
    }
};

// Bodies of suspect, resumed and lost: about a child of the frame's source and everything below it.
struct ChildNews {
    HostId child{};
    std::vector<HostId> below;  // with `lost`: all hosts that went with it, the child among them
    std::string cause;
    bool final = false;  // with `lost`: dismissed, for its lease or for what it sent; it is not looked for
    template <class Archive>
    void serialize(Archive& archive) {
        archive(child, below, cause, final);
    }
};

struct StartOperation {
    std::string kind;
    std::string request;
    std::optional<Duration> remaining;
    std::string nonce;
    std::vector<Host> participants;    // with peers
    std::vector<OperationId> running;  // what has ended and is not among these is forgotten
    bool plain = false;                // as in PeerSession
    template <class Archive>
    void serialize(Archive& archive) {
        archive(kind, request, remaining, nonce, participants, running, plain);
    }
};

// What one side has received of an operation.
struct OperationProgress {
    OperationId operation{};
    std::uint32_t control = 0;  // at the agent: the last of the root's messages and cancels
    std::map<std::uint32_t, StreamProgress> streams;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(operation, control, streams);
    }
};

// Body of done. The root takes it once it has all that the role has sent.
struct OperationEnd {
    RoleResult result;
    std::map<std::uint32_t, std::uint32_t> sent;  // frames of each stream
    template <class Archive>
    void serialize(Archive& archive) {
        archive(result, sent);
    }
};

// Body of resume, after a link on the way between the root and a host was replaced. The root begins and lists
// all that it runs on that host; the agent kills whatever else runs, sends again what the root lacks, and
// answers with what it has itself, ended or not, so that the root does the same.
struct Resume {
    std::vector<OperationProgress> operations;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(operations);
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
