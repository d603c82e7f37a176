// PseudoTerminal: a terminal for a child process: we hold one end, the child opens the other by its name.
// Owned by the process that runs on it.
#pragma once

#include "trellis/process.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <string>

namespace trellis {

struct PseudoTerminal {
    FileDescriptor end;  // what is written here is typed, what is read here is shown
    std::string file;    // "/dev/pts/3"
};

// Failure cannot_start: the host has no pseudo-terminal left.
[[nodiscard]] Result<PseudoTerminal> open_pseudo_terminal(TerminalSize size);
// The foreground programs learn of it (SIGWINCH).
void resize_terminal(int end, TerminalSize size);

}  // namespace trellis
