#include "tests/lab/host_init.hpp"

#include "tests/lab/host_mounts.hpp"
#include "tests/lab/lab_error.hpp"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trellis::lab {
namespace {

constexpr int report_fd = 3;
constexpr const char* sshd_log = "/run/sshd.log";

// What the daemon has set for itself must not reach the host: signals, real-time priority, precise timers,
// descriptors.
void become_ordinary(const HostPlan& plan, int report) {
    checked(dup2(report, report_fd), "report pipe");
    close_range(report_fd + 1, ~0U, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    sched_param ordinary{};
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    sched_setaffinity(0, sizeof plan.cpus, &plan.cpus);
    prctl(PR_SET_TIMERSLACK, 50'000);
    prctl(PR_SET_NAME, "lab-host");
    setrlimit(RLIMIT_NOFILE, &plan.open_files);
}

std::string text_of(const char* path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// A socket that listens on port 22, as the kernel lists it: local port 0016, state 0A.
bool sshd_listens() {
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::istringstream lines(text_of(table));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string slot, local, remote, state;
            words >> slot >> local >> remote >> state;
            if (local.ends_with(":0016") && state == "0A") return true;
        }
    }
    return false;
}

pid_t start_sshd() {
    pid_t pid = checked(fork(), "fork sshd");
    if (pid > 0) return pid;
    close(report_fd);
    int log = open(sshd_log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDERR_FILENO);
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-D", "-e", "-f", "/run/sshd_config", nullptr);
    _exit(127);
}

void await_sshd(pid_t sshd) {
    for (useconds_t pause = 20'000; !sshd_listens(); pause = std::min<useconds_t>(pause * 2, 160'000)) {
        if (waitpid(sshd, nullptr, WNOHANG) == sshd) {
            throw LabError("sshd ended at once (is openssh-server installed?): " + text_of(sshd_log));
        }
        usleep(pause);
    }
}

void report(const std::string& text) {
    [[maybe_unused]] auto written = write(report_fd, text.data(), text.size());
    close(report_fd);
}

[[noreturn]] void collect_forever() {
    signal(SIGCHLD, SIG_IGN);  // the kernel collects what ends
    while (true)
        pause();
}

}  // namespace

void run_host(const HostPlan& plan, int report_pipe) {
    try {
        become_ordinary(plan, report_pipe);
        checked(sethostname(plan.name.data(), plan.name.size()), "host name");
        mount_host_file_systems(plan);
        write_host_files(plan);
        await_sshd(start_sshd());
    } catch (const std::exception& error) {
        report(plan.name + ": " + error.what());
        _exit(1);
    }
    report("ready");
    collect_forever();
}

}  // namespace trellis::lab
