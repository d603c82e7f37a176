// Which hosts one command runs on: the selected ones, or those that its option --on means.
#pragma once

#include "trellis/host.hpp"
#include "trellis/result.hpp"

#include "shell/session/session.hpp"

#include <string>
#include <vector>

namespace trellis {

// `on`: an expression as for smask, its words separated by blanks; empty: the selected hosts. Those whose
// agents run, in the session's order; Unavailable if there are none.
[[nodiscard]] Result<std::vector<Host>> chosen_hosts(const Session& session, const Seat& seat,
                                                     const std::string& on);

}  // namespace trellis
