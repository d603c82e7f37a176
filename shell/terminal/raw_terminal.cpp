#include "shell/terminal/raw_terminal.hpp"

#include <sys/ioctl.h>

namespace trellis {

RawTerminal::RawTerminal(int fd) : fd_(fd) {
    termios settings{};
    if (::tcgetattr(fd_, &settings) != 0) return;
    before_ = settings;
    ::cfmakeraw(&settings);
    ::tcsetattr(fd_, TCSANOW, &settings);
}

RawTerminal::~RawTerminal() {
    if (before_) ::tcsetattr(fd_, TCSANOW, &*before_);
}

TerminalSize terminal_size(int fd) {
    winsize window{};
    const bool known = ::ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_row > 0 && window.ws_col > 0;
    return known ? TerminalSize{window.ws_row, window.ws_col} : TerminalSize{};
}

}  // namespace trellis
