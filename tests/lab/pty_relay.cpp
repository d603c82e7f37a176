#include "tests/lab/pty_relay.hpp"

#include "tests/lab/lab_error.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

namespace trellis::lab {
namespace {

bool write_all(int fd, const char* data, ssize_t size) {
    while (size > 0) {
        ssize_t written = write(fd, data, static_cast<std::size_t>(size));
        if (written < 0) return false;
        data += written;
        size -= written;
    }
    return true;
}

}  // namespace

PtyRelay::~PtyRelay() {
    if (before_) tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

void PtyRelay::open() {
    master_.reset(checked(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "pseudo-terminal"));
    checked(grantpt(master_.get()), "pseudo-terminal");
    checked(unlockpt(master_.get()), "pseudo-terminal");
    char name[128];
    if (ptsname_r(master_.get(), name, sizeof name) != 0) fail_errno("pseudo-terminal");
    slave_.reset(checked(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC), name));
    copy_size();
}

void PtyRelay::copy_size() {
    winsize size{24, 80, 0, 0};
    ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
    ioctl(master_.get(), TIOCSWINSZ, &size);
}

void PtyRelay::become_terminal() {
    setsid();
    ioctl(slave_.get(), TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; ++fd)
        dup2(slave_.get(), fd);
}

int PtyRelay::run(pid_t child) {
    slave_.reset();
    termios now;
    if (tcgetattr(STDIN_FILENO, &now) == 0) {
        before_ = now;
        cfmakeraw(&now);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
    }
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGWINCH, SIGTERM, SIGHUP, SIGINT})
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    UniqueFd signals(checked(signalfd(-1, &set, SFD_CLOEXEC), "signalfd"));
    std::array<pollfd, 3> wanted{
        {{master_.get(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {signals.get(), POLLIN, 0}}};
    while (poll(wanted.data(), wanted.size(), -1) >= 0 || errno == EINTR) {
        if (wanted[0].revents != 0 && !pass_output()) break;
        if (wanted[1].revents != 0 && !pass_input()) wanted[1].fd = -1;
        signalfd_siginfo info;
        if (wanted[2].revents == 0 || read(signals.get(), &info, sizeof info) != sizeof info) continue;
        info.ssi_signo == SIGWINCH ? copy_size()
                                   : static_cast<void>(kill(child, static_cast<int>(info.ssi_signo)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

// False when the last process has closed the terminal.
bool PtyRelay::pass_output() {
    std::array<char, 65536> data;
    ssize_t size = read(master_.get(), data.data(), data.size());
    return size > 0 && write_all(STDOUT_FILENO, data.data(), size);
}

// At the end of the input the terminal gets its end-of-file character, as if a user had typed it.
bool PtyRelay::pass_input() {
    std::array<char, 4096> data;
    ssize_t size = read(STDIN_FILENO, data.data(), data.size());
    if (size > 0) return write_all(master_.get(), data.data(), size);
    constexpr char end_of_file = 4;
    write_all(master_.get(), &end_of_file, 1);
    return false;
}

}  // namespace trellis::lab
