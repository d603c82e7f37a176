#include "tests/lab/host_process.hpp"

#include "tests/lab/lab_error.hpp"

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace trellis::lab {
namespace {

constexpr int start_limit_ms = 120'000;

UniqueFd current_network() {
    return UniqueFd(checked(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "network namespace"));
}

// fork() into new PID, mount, UTS and IPC namespaces; also answers a descriptor of the child.
pid_t fork_host(int& pidfd) {
    unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_PIDFD | SIGCHLD;
    return static_cast<pid_t>(syscall(SYS_clone, flags, nullptr, &pidfd, nullptr, nullptr));
}

}  // namespace

void HostProcess::make_network(const std::function<void()>& inside) {
    checked(unshare(CLONE_NEWNET), "new network namespace");
    network_ = current_network();
    inside();
}

void HostProcess::start() {
    UniqueFd home = current_network();
    checked(setns(network_.get(), CLONE_NEWNET), "enter the network of " + plan_.name);
    int pipe_ends[2];
    checked(pipe2(pipe_ends, O_CLOEXEC), "pipe");
    report_.reset(pipe_ends[0]);
    UniqueFd child_end(pipe_ends[1]);
    int pidfd = -1;
    pid_ = checked(fork_host(pidfd), "fork " + plan_.name);
    if (pid_ == 0) run_host(plan_, child_end.get());
    pidfd_.reset(pidfd);
    fcntl(pidfd, F_SETFD, FD_CLOEXEC);
    checked(setns(home.get(), CLONE_NEWNET), "leave the network of " + plan_.name);
}

void HostProcess::await_ready() {
    pollfd wanted{report_.get(), POLLIN, 0};
    if (poll(&wanted, 1, start_limit_ms) <= 0)
        throw LabError(plan_.name + ": sshd does not listen after 120 s");
    char text[4096];
    ssize_t size = read(report_.get(), text, sizeof text);
    std::string answer(text, static_cast<std::size_t>(size > 0 ? size : 0));
    report_.reset();
    if (answer != "ready") throw LabError(answer.empty() ? plan_.name + ": died while it started" : answer);
}

void HostProcess::begin_kill() {
    if (running()) syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

void HostProcess::kill_all() {
    if (!running()) return;
    begin_kill();
    waitpid(pid_, nullptr, 0);
    ended();
}

}  // namespace trellis::lab
