// The user's terminal, lent to a command on one host: keys go there, what it shows comes here, the window's
// size follows, until the command ends.
#pragma once

#include "trellis/outcome.hpp"

#include "shell/running/shell_context.hpp"

#include <map>
#include <optional>
#include <string>

namespace trellis {

// On the one selected host. Unavailable if standard input or output is no terminal.
Task<Result<std::map<std::string, Outcome>>> run_on_own_terminal(ShellContext& context, std::string command,
                                                                 std::optional<Duration> timeout);

}  // namespace trellis
