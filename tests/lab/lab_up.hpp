// Starts a laboratory's process in the background, and ends it. Errors are thrown as LabError.
#pragma once

#include "tests/lab/lab_daemon.hpp"
#include "tests/lab/lab_state.hpp"

#include <string>

namespace trellis::lab {

// Returns when every host's sshd listens. If that fails, nothing is left.
void lab_up(LabState& state, const std::string& path, LabOptions options);

// Ends a laboratory in order; by force if it does not answer; after a crash it removes what is left. False if
// there was nothing at all.
bool lab_down(LabState& state);

}  // namespace trellis::lab
