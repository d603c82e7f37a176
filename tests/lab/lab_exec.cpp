#include "tests/lab/lab_exec.hpp"

#include "tests/lab/host_files.hpp"
#include "tests/lab/lab_error.hpp"
#include "tests/lab/pty_relay.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trellis::lab {
namespace {

void set_environment() {
    for (const char* name :
         {"SSH_AUTH_SOCK", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "TMPDIR", "XDG_RUNTIME_DIR",
          "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}) {
        unsetenv(name);
    }
    setenv("HOME", home_directory, 1);
    setenv("USER", "root", 1);
    setenv("LOGNAME", "root", 1);
    setenv("SHELL", "/bin/sh", 1);
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& directory) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (chdir(directory.c_str()) != 0 && chdir(home_directory) != 0) _exit(126);
    set_environment();
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    int reason = errno;
    std::cerr << "lab: cannot run " << command[0] << ": " << strerror(reason) << std::endl;
    _exit(reason == ENOENT ? 127 : 126);
}

// Signals that are meant for the command; those that the terminal sends reach it without help.
const std::vector<int>& forwarded() {
    static const std::vector<int> signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    return signals;
}

void block_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (int signal : forwarded())
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
}

int exit_status(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int supervise(pid_t child) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (int signal : forwarded())
        sigaddset(&set, signal);
    while (true) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return exit_status(status);
        siginfo_t info{};
        int signal = sigwaitinfo(&set, &info);
        if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) kill(child, signal);
    }
}

}  // namespace

int exec_in_host(int init, const std::vector<std::string>& command, bool terminal) {
    std::error_code ignored;
    std::string directory = std::filesystem::current_path(ignored);
    PtyRelay relay;
    if (terminal) relay.open();
    // Two steps: what follows the PID namespace is entered by children alone.
    checked(setns(init, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWIPC),
            "enter the host");
    block_signals();
    pid_t child = checked(fork(), "fork");
    if (child == 0) {
        if (terminal) relay.become_terminal();
        become(command, directory);
    }
    return terminal ? exit_status(relay.run(child)) : supervise(child);
}

}  // namespace trellis::lab
