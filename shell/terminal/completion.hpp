// Completion: what the word before the cursor may become. Pure: it knows commands by their options, hosts,
// masks and topics by name, and asks no terminal and no file system.
#pragma once

#include "trellis/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct CompletionSources {
    const std::vector<CommandEntry>& commands;
    std::vector<std::string> hosts;
    std::vector<std::string> topics;
    std::vector<std::string> masks = {};      // kept under names
    std::vector<std::string> variables = {};  // exported to hosts
};

struct Completion {
    bool files = false;                   // names of files instead of the candidates
    std::vector<std::string> candidates;  // sorted; each begins with the word that is completed
};

// `before`: the line up to the cursor. What an argument may be is told by the type name of its option: HOSTS,
// MASK, TOPIC, FILE, COMMAND, VARIABLE, WORD (of a login rule).
[[nodiscard]] Completion complete(std::string_view before, const CompletionSources& sources);

}  // namespace trellis
