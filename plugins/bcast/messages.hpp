// What the parts of `bcast` say to one another over the control tree: the command at the root, the roles on
// the hosts. The bytes of the object travel as records (record.hpp).
#pragma once

#include "trellis/host.hpp"
#include "trellis/message.hpp"
#include "trellis/peer.hpp"

#include "plugins/bcast/lineage.hpp"
#include "plugins/bcast/object.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace trellis::plugins::bcast {

inline constexpr std::uint32_t bcast_version = 8;

struct BcastRequest {
    std::uint32_t version = bcast_version;
    About about;
    HostId source = root_id;  // who has it
    std::string source_path;  // there, if it is a host
    bool describe = false;    // only say what there is
    std::string destination;  // as the user wrote it
    std::map<HostId, std::string>
        directories;          // where a destination begins that is not absolute; else at home
    std::string token;        // in temporary names
    bool verify = false;      // read the files again before they get their names
    std::string pipe;         // a command that reads the one file, in place of a name
    bool resume = false;      // go on from what an earlier one has left, and leave what has come
    bool compress = false;    // by the source
    std::string digest_key;   // of a Digester
    bool filing = false;      // what comes goes to its file before it is checked; with a key
    double slowest_link = 0;  // of the chain, for the host that has it: bits a second; 0: not known
    template <class Archive>
    void serialize(Archive& archive) {
        archive(version, about, source, source_path, describe, destination, directories, token, verify, pipe,
                resume, compress, digest_key, filing, slowest_link);
    }
};

// What a host has from an earlier broadcast: its first chunks, and the digest over theirs.
struct Kept {
    ChunkNumber chunks = 0;
    Digest digest;
    bool other_source = false;  // there was something, of another source: it is gone
    template <class Archive>
    void serialize(Archive& archive) {
        archive(chunks, digest, other_source);
    }
};

// Role to root: the destination is fit, and this is where the host listens (no port: nowhere).
struct Ready {
    Endpoint endpoint;
    Kept kept;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(endpoint, kept);
    }
};

struct Claim {
    HostId host{};
    Kept kept;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(host, kept);
    }
};

// Root to the source, before the beginning: who has what; the answer: with whom the source agrees.
struct Judge {
    std::vector<Claim> claims;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(claims);
    }
};

struct Judged {
    std::vector<HostId> hosts;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(hosts);
    }
};

// Role to root: give me the object from here on: on a connection that the root makes, or on this stream of
// the operation.
struct Ask {
    Position from;
    std::uint32_t stream = 0;
    bool by_tree = false;  // a connection has been silent
    template <class Archive>
    void serialize(Archive& archive) {
        archive(from, stream, by_tree);
    }
};

// Role to root, now and then: up to where the object has come, and the chunks of it that are stored. Before
// it is ready: the kept ones that are right. The fewer hosts there are, the more often, so that who is slow
// is soon seen; the root hears some 2,000 a second from 1,000 hosts.
inline constexpr std::size_t most_ticks_between_progress = 5;
[[nodiscard]] constexpr std::size_t ticks_between_progress(std::size_t hosts) {
    return std::clamp(hosts / 100, std::size_t{1}, most_ticks_between_progress);
}
struct Progress {
    Position end;
    ChunkNumber stored = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(end, stored);
    }
};

// Role to root: all of it stands under its final name.
struct Have {
    template <class Archive>
    void serialize(Archive& /*archive*/) {}
};

// Role to root: its files do not answer, and it cannot end before they do.
struct Hangs {
    template <class Archive>
    void serialize(Archive& /*archive*/) {}
};

struct Member {
    HostId id{};
    Endpoint endpoint;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id, endpoint);
    }
};

// Role to root: it goes round these, which it cannot reach or hear, and takes it from another one now.
struct Passed {
    std::vector<HostId> hosts;
    HostId giver{};
    std::vector<HostId> unreached;  // all that could be asked at one time, which may be its own fault
    template <class Archive>
    void serialize(Archive& archive) {
        archive(hosts, giver, unreached);
    }
};

// Root to all: the hosts in their order, and the method by which they take the object one from the other.
struct Begin {
    Method method = Method::chain;
    HostId source = root_id;
    std::vector<Member> chain;  // the source first, if it is one of them
    std::vector<HostId> go_on;  // those who go on from what they have kept
    // As Lineage numbers them.
    [[nodiscard]] std::vector<Member> nodes() const {
        std::vector<Member> nodes = chain;
        if (source == root_id) nodes.insert(nodes.begin(), Member{root_id, {}});
        return nodes;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(method, source, chain, go_on);
    }
};

// Root to one role: take it from this host from now on; from itself: from nobody, until it is told.
struct Turn {
    HostId to{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(to);
    }
};

// From the source to the root, and from there to all: the source has been read to its end and is what it was.
struct Sealed {
    Digest digest;  // over the digests of all chunks
    template <class Archive>
    void serialize(Archive& archive) {
        archive(digest);
    }
};

// Root to all: nobody needs anybody any more; with a cause: it has failed everywhere.
struct Finish {
    std::string cause;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cause);
    }
};

using ToRole = std::variant<Begin, Turn, Sealed, Finish, Judge>;
using ToRoot = std::variant<Ready, Ask, Progress, Passed, Have, Sealed, Judged, Hangs>;

// What the root says first on a connection that it has made: the number of the stream that it replaces.
inline constexpr std::size_t offer_size = sizeof(std::uint32_t);

// The first bytes from a host on a connection to another one, or that the root has made: from where on.
inline constexpr std::size_t request_size = sizeof(ChunkNumber) + sizeof(std::uint32_t);

}  // namespace trellis::plugins::bcast
