#include "agentd/os/pseudo_terminal.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>

namespace trellis {

Result<PseudoTerminal> open_pseudo_terminal(TerminalSize size) {
    PseudoTerminal terminal;
    terminal.end.reset(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
    std::array<char, 64> name{};
    const bool usable = terminal.end.open() && ::grantpt(terminal.end.get()) == 0 &&
                        ::unlockpt(terminal.end.get()) == 0 &&
                        ::ptsname_r(terminal.end.get(), name.data(), name.size()) == 0;
    if (!usable)
        return Failure{FailureKind::cannot_start, "start process", "",
                       std::string("no pseudo-terminal: ") + std::strerror(errno)};
    terminal.file = name.data();
    resize_terminal(terminal.end.get(), size);
    return terminal;
}

void resize_terminal(int end, TerminalSize size) {
    const winsize window{size.rows, size.columns, 0, 0};
    ::ioctl(end, TIOCSWINSZ, &window);
}

}  // namespace trellis
