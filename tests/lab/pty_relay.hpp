// A pseudo-terminal between the caller's standard streams and a command, for commands that want a terminal.
// Owned by the process that relays; the caller's own terminal, if it has one, is raw meanwhile and is always
// put back.
#pragma once

#include "tests/lab/unique_fd.hpp"

#include <optional>
#include <sys/types.h>
#include <termios.h>

namespace trellis::lab {

class PtyRelay {
  public:
    ~PtyRelay();

    // Before the fork. Throws LabError.
    void open();

    // In the child: a session of its own with the pseudo-terminal as its terminal and standard streams.
    void become_terminal();

    // In the parent: relays until the child has ended and all its output is written. Answers its wait status.
    int run(pid_t child);

  private:
    void copy_size();
    bool pass_output();
    bool pass_input();

    UniqueFd master_, slave_;
    std::optional<termios> before_;
};

}  // namespace trellis::lab
