#include "tests/lab/lab_up.hpp"

#include "tests/lab/host_mounts.hpp"
#include "tests/lab/lab_error.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace trellis::lab {
namespace {

struct Pipe {
    UniqueFd out, in;
    Pipe() {
        int ends[2];
        checked(pipe2(ends, O_CLOEXEC), "pipe");
        out.reset(ends[0]);
        in.reset(ends[1]);
    }
};

std::string read_all(int fd) {
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t size; (size = read(fd, part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
}

TopologyFile read_topology(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw LabError("cannot read " + path);
    std::ostringstream text;
    text << in.rdbuf();
    auto result = parse_topology(text.str());
    if (auto* error = std::get_if<ParseError>(&result)) {
        throw LabError(path + ":" + std::to_string(error->line) + ": " + error->message);
    }
    return std::get<TopologyFile>(std::move(result));
}

bool is_below(const std::string& path, const std::string& directory) {
    return path.starts_with(directory + "/");
}

// Of the wanted directories, those that a host would not see otherwise.
std::vector<std::string> hidden_ones(const std::vector<std::string>& wanted) {
    std::vector<std::string> hidden;
    for (const std::string& path : wanted) {
        const auto& places = private_directories();
        bool covered =
            std::any_of(places.begin(), places.end(), [&](auto& place) { return is_below(path, place); });
        bool known = std::any_of(hidden.begin(), hidden.end(),
                                 [&](auto& other) { return path == other || is_below(path, other); });
        if (covered && !known && std::filesystem::is_directory(path)) hidden.push_back(path);
    }
    return hidden;
}

// The source tree around BUILD/bin/lab, the build directory and the current directory.
std::vector<std::string> visible_directories(const std::vector<std::string>& asked) {
    auto build = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
    std::vector<std::string> wanted{build.parent_path(), build, std::filesystem::current_path()};
    for (const std::string& path : asked)
        wanted.push_back(std::filesystem::canonical(path));
    return hidden_ones(wanted);
}

// What the caller had open (locks, pipes) must not stay open as long as the laboratory.
void close_inherited(const std::set<int>& keep) {
    int first = 3;
    for (int fd : keep) {
        if (fd > first) close_range(static_cast<unsigned>(first), static_cast<unsigned>(fd - 1), 0);
        first = std::max(first, fd + 1);
    }
    close_range(static_cast<unsigned>(first), ~0U, 0);
}

void detach(const LabState& state) {
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int log = open(state.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    checked(chdir("/"), "chdir /");
}

void say(const UniqueFd& fd, const std::string& text) {
    [[maybe_unused]] auto written = write(fd.get(), text.data(), text.size());
}

// The laboratory's process, from its first breath to its last.
int live(LabState& state, const TopologyFile& file, const LabOptions& options, Pipe& go, Pipe& report) {
    try {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // until it is ready, it lives and dies with the command
        go.in.reset();
        report.out.reset();
        close_inherited({go.out.get(), report.in.get(), options.until});
        detach(state);
        read_all(go.out.get());
        make_mounts_private();
        checked(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mount /proc");
        prctl(PR_SET_NAME, "lab-fabric");
        LabDaemon daemon(file, options, state.directory());
        daemon.build();
        prctl(PR_SET_PDEATHSIG, 0);
        say(report.in, "ready");
        report.in.reset();
        daemon.run();
        state.remove();
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        if (report.in) say(report.in, error.what());
        return 1;
    }
}

}  // namespace

void lab_up(LabState& state, const std::string& path, LabOptions options) {
    TopologyFile file = read_topology(path);
    options.visible = visible_directories(options.visible);
    state.create();
    std::filesystem::copy_file(path, state.file("file"));
    Pipe go, report;
    auto pid = static_cast<pid_t>(
        syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    checked(pid, "fork the laboratory");
    if (pid == 0) _exit(live(state, file, options, go, report));
    report.in.reset();
    state.record_process(pid);
    go.in.reset();
    std::string answer = read_all(report.out.get());
    if (answer == "ready") return;
    waitpid(pid, nullptr, 0);
    state.remove();
    throw LabError(answer.empty() ? "the laboratory died while it started" : answer);
}

bool lab_down(LabState& state) {
    auto process = state.process();
    bool known = process || std::filesystem::exists(state.directory());
    if (process) {
        try {
            ask(state.control(), "down");
        } catch (const LabError&) {
            syscall(SYS_pidfd_send_signal, process->get(), SIGKILL, nullptr, 0);
        }
        constexpr int patience_ms = 30'000;
        if (!await_end(process->get(), patience_ms)) {
            syscall(SYS_pidfd_send_signal, process->get(), SIGKILL, nullptr, 0);
            await_end(process->get(), -1);
        }
    }
    state.remove();
    return known;
}

}  // namespace trellis::lab
