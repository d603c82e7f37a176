// The guardian: a small process over each agent that leaves nothing behind. It becomes the reaper of
// everything that descends from the agent, and when the agent ends, for whatever reason, it kills what is
// left until nothing is, and ends with the agent's exit status. When the guardian itself is killed, the agent
// is killed too. The guardian keeps no file of the agent open and passes HUP, INT and TERM on to it.
#pragma once

#include <functional>

namespace trellis {

// To be called first in main(), before any thread exists. `agent` runs in a child process; the value that is
// returned there and here is what main() is to return. Where no process can be forked, `agent` runs
// unguarded.
int run_guarded(const std::function<int()>& agent);

}  // namespace trellis
