#include "agentd/os/guardian.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trellis {

namespace {

sigset_t guardian_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGCHLD, SIGHUP, SIGINT, SIGTERM})
        sigaddset(&signals, number);
    return signals;
}

void let_go_of_files() {
    const int null = ::open("/dev/null", O_RDWR);
    for (int number = 0; number < 3; ++number)
        ::dup2(null, number);
    const long limit = ::sysconf(_SC_OPEN_MAX);
    if (::close_range(3, ~0U, 0) == 0) return;
    for (int number = 3; number < limit && number < 4096; ++number)
        ::close(number);
}

// The parent of a process, 0 if it is gone. The name in /proc/PID/stat may hold anything, but not the last
// ')'.
pid_t parent_of(const char* number) {
    const std::string path = std::string("/proc/") + number + "/stat";
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[512];
    const ssize_t size = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (size <= 0) return 0;
    text[size] = '\0';
    const char* name_end = std::strrchr(text, ')');
    int parent = 0;
    if (!name_end || std::sscanf(name_end, ") %*c %d", &parent) != 1) return 0;
    return parent;
}

std::multimap<pid_t, pid_t> children_of_all() {
    std::multimap<pid_t, pid_t> children;
    DIR* processes = ::opendir("/proc");
    if (!processes) return children;
    while (const dirent* entry = ::readdir(processes)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        const auto parsed = std::from_chars(entry->d_name, end, pid);
        if (parsed.ec == std::errc() && parsed.ptr == end) children.emplace(parent_of(entry->d_name), pid);
    }
    ::closedir(processes);
    return children;
}

void kill_below(pid_t root, const std::multimap<pid_t, pid_t>& children, std::set<pid_t>& seen) {
    const auto [begin, end] = children.equal_range(root);
    for (auto child = begin; child != end; ++child) {
        if (!seen.insert(child->second).second) continue;
        ::kill(child->second, SIGKILL);
        kill_below(child->second, children, seen);
    }
}

// Until no child is left: those of the killed become ours and are found in the next round.
void kill_descendants() {
    for (;;) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        if (::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
        std::set<pid_t> seen;
        kill_below(::getpid(), children_of_all(), seen);
        ::usleep(2000);
    }
}

// Reaps whatever has ended; whether the agent is among it.
bool agent_has_ended(pid_t agent, int& status) {
    bool ended = false;
    int child_status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &child_status, WNOHANG)) > 0;) {
        if (pid != agent) continue;
        status = child_status;
        ended = true;
    }
    return ended;
}

int guard(pid_t agent) {
    let_go_of_files();
    const sigset_t signals = guardian_signals();
    int status = 0;
    while (!agent_has_ended(agent, status)) {
        siginfo_t info{};
        const int number = ::sigwaitinfo(&signals, &info);
        if (number > 0 && number != SIGCHLD) ::kill(agent, number);
    }
    kill_descendants();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_guarded(const std::function<int()>& agent) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const sigset_t signals = guardian_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t guardian = ::getpid();
    const pid_t pid = ::fork();
    if (pid > 0) return guard(pid);
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != guardian) ::_exit(1);
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return agent();
}

}  // namespace trellis
