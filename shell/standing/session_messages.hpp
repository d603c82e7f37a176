// What a front end and a session that stays up say to each other over the session's socket: one message a
// frame, encoded by include/trellis/message.hpp. Both ends are of the same version; only Describe and
// EndSession keep their place, so that every version can list and end sessions.
#pragma once

#include "trellis/message.hpp"
#include "trellis/operation.hpp"

#include "agentd/core/login_attempt.hpp"
#include "agentd/core/membership.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trellis {

// No message holds more, so that it fits into a frame with what stands around it.
inline constexpr std::size_t most_shared_bytes = std::size_t{3} << 20;
// Bytes of an operation's events that may be on their way to a front end that does not take them.
inline constexpr std::size_t event_window = std::size_t{256} << 10;

// What a seat holds, encoded by session_sharing.hpp: "selection", "outcomes", ...
using SeatParts = std::map<std::string, std::string>;

// What front ends share besides the hosts' agents, as far as it has changed.
struct SharedChange {
    std::vector<std::string> hosts;  // names that have become known
    std::map<std::string, std::string>
        causes;  // why the last attempt to reach a host failed; empty: it did not
    bool rules_cleared = false;
    std::vector<std::string> rules;   // added, as commands
    std::vector<std::string> values;  // of the bus, as JSON
    template <class Archive>
    void serialize(Archive& archive) {
        archive(hosts, causes, rules_cleared, rules, values);
    }
};

// A call is an operation or an exploration, numbered by the front end.
using CallNumber = std::uint32_t;

// From the front end.
struct Describe {};
struct EndSession {};
struct Attach {
    std::string version;
    std::string seat;
    std::string ssh_agent;  // SSH_AUTH_SOCK there
    template <class Archive>
    void serialize(Archive& archive) {
        archive(version, seat, ssh_agent);
    }
};
struct Leave {};  // answered by a farewell, when all before it has been taken
struct SeatChange {
    SeatParts parts;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(parts);
    }
};
struct ExploreCall {
    CallNumber call = 0;
    std::vector<std::string> hosts;
    Duration login_timeout{};
    std::uint64_t fan_out = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, hosts, login_timeout, fan_out);
    }
};
struct OperationCall {
    CallNumber call = 0;
    OperationRequest request;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, request);
    }
};
struct StopCall {  // nobody waits for it any more
    CallNumber call = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call);
    }
};
struct CancelCall {
    CallNumber call = 0;
    CancelLevel level{};
    bool abandon = false;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, level, abandon);
    }
};
struct Consumed {
    CallNumber call = 0;
    std::uint64_t bytes = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, bytes);
    }
};
struct MessageToHosts {
    CallNumber call = 0;
    std::optional<HostId> to;  // nothing: all
    std::string body;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, to, body);
    }
};
struct WriteToHost {
    CallNumber call = 0;
    HostId to{};
    std::uint32_t stream = 0;
    std::string bytes;
    bool end = false;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, to, stream, bytes, end);
    }
};
using ToSession =
    std::variant<Describe, EndSession, Attach, SharedChange, SeatChange, ExploreCall, OperationCall, StopCall,
                 CancelCall, Consumed, MessageToHosts, WriteToHost, Leave>;

// To the front end.
struct Description {
    std::int32_t process = 0;
    std::int64_t since = 0;  // seconds of Unix time
    std::uint32_t hosts = 0;
    std::uint32_t front_ends = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(process, since, hosts, front_ends);
    }
};
struct Farewell {  // refused, or the session ends
    std::string why;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(why);
    }
};
struct Attached {};  // after everything that the session knows, and what the seat holds
struct MemberNews {
    Member member;
    std::uint64_t view = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(member, view);
    }
};
struct Note {
    std::string line;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(line);
    }
};
struct ExploreProgress {
    CallNumber call = 0;
    std::uint64_t reached = 0;
    std::uint64_t ended = 0;
    std::uint64_t all = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, reached, ended, all);
    }
};
struct ExploreSuspicion {
    CallNumber call = 0;
    std::string host;
    bool silent = false;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, host, silent);
    }
};
struct ExploreAttempt {
    CallNumber call = 0;
    std::string host;
    LoginAttempt attempt;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, host, attempt);
    }
};
struct ExploreOutcomeNews {
    CallNumber call = 0;
    std::string host;
    Outcome outcome;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, host, outcome);
    }
};
// In which the root meets the hosts, before its first news: the front end connects by itself.
struct OperationMeets {
    CallNumber call = 0;
    PeerSession meeting;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, meeting);
    }
};
struct OperationNews {
    CallNumber call = 0;
    OperationEvent event;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, event);
    }
};
struct Written {
    CallNumber call = 0;
    HostId to{};
    std::uint32_t stream = 0;
    std::string failure;  // empty: none
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call, to, stream, failure);
    }
};
struct CallEnded {
    CallNumber call = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(call);
    }
};
using ToFrontEnd = std::variant<Description, Farewell, Attached, SharedChange, SeatChange, MemberNews, Note,
                                ExploreProgress, ExploreSuspicion, ExploreAttempt, ExploreOutcomeNews,
                                OperationMeets, OperationNews, Written, CallEnded>;

// The frame that carries a message (ToSession or ToFrontEnd).
template <class Message>
[[nodiscard]] Frame session_frame(const Message& message) {
    Frame frame;
    frame.type = FrameType::message;
    frame.body = encode(message);
    return frame;
}

// Types of include/trellis and agentd/core that travel in these messages only.
template <class Archive>
void serialize(Archive& archive, Member& member) {
    archive(member.host, member.parent, member.state, member.cause, member.silent);
}
template <class Archive>
void serialize(Archive& archive, Route& route) {
    archive(route.way, route.end_to_end, route.forward_agent, route.target);
}
template <class Archive>
void serialize(Archive& archive, LoginAttempt& attempt) {
    archive(attempt.from, attempt.route, attempt.target, attempt.settings, attempt.took, attempt.outcome);
}
template <class Archive>
void serialize(Archive& archive, OperationRequest& request) {
    archive(request.kind, request.hosts, request.body, request.timeout, request.peers, request.root_meets,
            request.root_key, request.plain);
}
template <class Archive>
void serialize(Archive& archive, PeerSession& session) {
    archive(session.operation, session.nonce, session.self, session.participants, session.plain);
}
template <class Archive>
void serialize(Archive& archive, HostMessage& message) {
    archive(message.body);
}
template <class Archive>
void serialize(Archive& archive, StreamData& data) {
    archive(data.stream, data.bytes, data.end);
}
template <class Archive>
void serialize(Archive& archive, HostSuspicion& suspicion) {
    archive(suspicion.suspect);
}
template <class Archive>
void serialize(Archive& archive, OperationEvent& event) {
    archive(event.host, event.what);
}

}  // namespace trellis
