// One command given as the arguments of a program (trellis --session lab1 e -b uname -r), as a line of the
// command language. Pure.
#pragma once

#include "trellis/command.hpp"

#include <string>
#include <vector>

namespace trellis {

// Whether the first of these arguments is the name of a command.
[[nodiscard]] bool names_command(const std::vector<std::string>& words,
                                 const std::vector<CommandEntry>& commands);

// Every argument becomes one word; those that are a command for the hosts' shell are joined by blanks first,
// as ssh(1) does, so that the hosts' shell reads what has come through the local one. So are those before and
// those after the -- of mw.
[[nodiscard]] std::string direct_line(const std::vector<std::string>& words,
                                      const std::vector<CommandEntry>& commands);

}  // namespace trellis
