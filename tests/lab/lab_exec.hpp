// Runs a command inside a host of a laboratory, as if it had been started there: in all its namespaces, with
// its home and the caller's standard streams. Errors are thrown as LabError.
#pragma once

#include <string>
#include <vector>

namespace trellis::lab {

// init: a pidfd of the host's first process. terminal: give the command a terminal of its own and relay to
// it. Answers the command's exit status; 128 + n if signal n ended it; 126 or 127 if it cannot be run.
int exec_in_host(int init, const std::vector<std::string>& command, bool terminal);

}  // namespace trellis::lab
