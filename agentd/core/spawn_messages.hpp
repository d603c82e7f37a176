// The operation "spawn": an agent logs in to further hosts and becomes the parent of their agents. The root
// grants targets; what a login has to ask of the user's side travels as questions and answers. Both sides
// send what they have at a time in one message.
#pragma once

#include "trellis/message.hpp"
#include "trellis/outcome.hpp"
#include "trellis/spawner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trellis {

// Root to agent: targets, and answers.
struct AuthorityAnswer {
    std::uint32_t ticket = 0;
    std::optional<Outcome> failure;
    std::string reply;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(ticket, failure, reply);
    }
};
using SpawnCommand = std::variant<SpawnRequest, AuthorityAnswer>;
using SpawnCommands = std::vector<SpawnCommand>;

// Agent to root. That a host has joined is told by the frame `joined`; the report says how its login ended.
struct SpawnReport {
    HostId id{};
    Outcome outcome;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id, outcome);
    }
};
struct HostKeyQuestion {
    std::uint32_t ticket = 0;
    HostId id{};
    std::string lookup;
    std::string key;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(ticket, id, lookup, key);
    }
};
struct AgentQuestion {
    std::uint32_t ticket = 0;
    HostId id{};
    std::string request;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(ticket, id, request);
    }
};
// Answered by bytes of the full agent.
struct FullAgentQuestion {
    std::uint32_t ticket = 0;
    HostId id{};
    std::uint64_t from = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(ticket, id, from);
    }
};
using SpawnEvent = std::variant<SpawnReport, HostKeyQuestion, AgentQuestion, FullAgentQuestion>;
using SpawnNews = std::vector<SpawnEvent>;

}  // namespace trellis
