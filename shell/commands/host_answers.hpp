// What the hosts' shell makes of words, for commands that keep something for each host (`cd`, `export`).
#pragma once

#include "shell/running/shell_context.hpp"
#include "shell/session/places.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace trellis {

struct HostAnswers {
    std::map<std::string, std::vector<std::string>> texts;  // by host, of those where it succeeded
    int status = 0;                                         // 0 if that were all
};

// Runs the command on the selected hosts, each in its place of `from`: it prints `count` texts, each ended by
// `end`. Says where and why it failed.
Task<HostAnswers> ask_hosts(ShellContext& context, std::string command, Places from, char end,
                            std::size_t count);

// A word with its quotes, for the hosts' shell.
[[nodiscard]] std::string as_written(const Statement& statement, const Word& word);

inline constexpr const char* no_host_selected = "no host is selected (see hosts, explore, rmask)";

}  // namespace trellis
