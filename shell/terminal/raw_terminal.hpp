// RawTerminal: while it lives, every key at the terminal is passed on as it is: none is echoed, edited or
// made a signal here. Owned by the command that hands the terminal to a remote program; destroying it
// restores the terminal as it was, however that command ends.
#pragma once

#include "trellis/process.hpp"

#include <optional>
#include <termios.h>

namespace trellis {

class RawTerminal {
  public:
    explicit RawTerminal(int fd);
    ~RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

  private:
    int fd_;
    std::optional<termios> before_;  // nothing if it is no terminal
};

// Of the window; 24 by 80 if it is not known.
[[nodiscard]] TerminalSize terminal_size(int fd);

}  // namespace trellis
