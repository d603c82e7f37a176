// The part of the ssh-agent protocol that a login needs to read: the list of the agent's keys. Pure.
// (draft-miller-ssh-agent, section 4.4; messages without their length prefix.)
#pragma once

#include "trellis/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct AgentIdentity {
    std::string key;  // public key, SSH wire format
    std::string comment;
    friend bool operator==(const AgentIdentity&, const AgentIdentity&) = default;
};

inline constexpr char agent_request_identities = 11;
inline constexpr char agent_identities_answer = 12;
inline constexpr char agent_failure = 5;

// Failure of kind invalid: no such answer, or malformed.
[[nodiscard]] Result<std::vector<AgentIdentity>> parse_identities(std::string_view answer);
[[nodiscard]] std::string format_identities(const std::vector<AgentIdentity>& identities);

// Those that a login may use, the configured ones first: `files` are the public keys of the identity files;
// with `only`, no others are used. Key types that libssh does not understand are left out.
[[nodiscard]] std::vector<AgentIdentity> choose_identities(std::vector<AgentIdentity> all,
                                                           const std::vector<std::string>& files, bool only);

}  // namespace trellis
