#include "tests/lab/laboratory.hpp"

#include "tests/lab/lab_error.hpp"
#include "tests/lab/unique_fd.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

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

pid_t spawn(const std::vector<std::string>& words, int in, int out, int error) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (const std::string& word : words)
        list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    pid_t pid = checked(fork(), "fork");
    if (pid > 0) return pid;
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    execvp(list[0], list.data());
    _exit(127);
}

// Moves what is readable to the text; closes the descriptor at its end.
void pass(UniqueFd& from, std::string& to) {
    std::array<char, 65536> data;
    ssize_t size = read(from.get(), data.data(), data.size());
    if (size <= 0) return from.reset();
    to.append(data.data(), static_cast<std::size_t>(size));
}

// Writes what is left of the input; closes the descriptor after it.
void feed(UniqueFd& to, const std::string& input, std::size_t& written) {
    ssize_t size = write(to.get(), input.data() + written, input.size() - written);
    if (size > 0) written += static_cast<std::size_t>(size);
    if (size < 0 || written == input.size()) to.reset();
}

void converse(Finished& finished, Pipe& in, Pipe& out, Pipe& error, const std::string& input) {
    std::size_t written = 0;
    if (input.empty()) in.in.reset();
    while (out.out || error.out) {
        std::array<pollfd, 3> wanted{
            {{out.out.get(), POLLIN, 0}, {error.out.get(), POLLIN, 0}, {in.in.get(), POLLOUT, 0}}};
        if (poll(wanted.data(), wanted.size(), -1) < 0) break;
        if (wanted[0].revents != 0) pass(out.out, finished.out);
        if (wanted[1].revents != 0) pass(error.out, finished.error);
        if (wanted[2].revents != 0) feed(in.in, input, written);
    }
}

int collect(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw LabError("cannot read " + path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TopologyFile read_truth(const std::string& path) {
    auto result = parse_topology(text_of(path));
    if (auto* error = std::get_if<ParseError>(&result)) throw LabError(path + ": " + error->message);
    return std::get<TopologyFile>(std::move(result));
}

struct Ticks {
    double idle = 0, stolen = 0, all = 0;
};

Ticks processor_ticks() {
    std::istringstream line(text_of("/proc/stat"));
    std::string word;
    line >> word;
    Ticks ticks;
    double value = 0;
    for (int i = 0; i < 8 && line >> value; ++i) {
        ticks.all += value;
        if (i == 3 || i == 4) ticks.idle += value;
        if (i == 7) ticks.stolen = value;
    }
    return ticks;
}

}  // namespace

std::string program_directory() {
    return std::filesystem::canonical("/proc/self/exe").parent_path();
}

std::string shipped_file(const std::string& name) {
    return std::string(LAB_FILES) + "/" + name + ".lab";
}

double idle_share() {
    Ticks before = processor_ticks();
    usleep(200'000);
    Ticks after = processor_ticks();
    return after.all > before.all ? (after.idle - before.idle) / (after.all - before.all) : 0;
}

double stolen_seconds() {
    return processor_ticks().stolen / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Finished run_program(const std::vector<std::string>& words, const std::string& input) {
    signal(SIGPIPE, SIG_IGN);
    Pipe in, out, error;
    Finished finished;
    pid_t pid = spawn(words, in.out.get(), out.in.get(), error.in.get());
    in.out.reset();
    out.in.reset();
    error.in.reset();
    converse(finished, in, out, error, input);
    finished.status = collect(pid);
    return finished;
}

Laboratory::Laboratory(const std::string& file, const std::string& name,
                       const std::vector<std::string>& options)
    : name_(name.empty() ? "test-" + std::to_string(getpid()) : name) {
    std::string path = file.find('/') == std::string::npos ? shipped_file(file) : file;
    truth_ = read_truth(path);
    std::vector<std::string> words{"up", path, "--until", std::to_string(getpid())};
    words.insert(words.end(), options.begin(), options.end());
    Finished up = lab(words);
    if (up.status != 0) throw LabError(up.error);
}

Laboratory::~Laboratory() {
    down();
    for (pid_t pid : started_)
        collect(pid);
}

Finished Laboratory::lab(const std::vector<std::string>& words) {
    std::vector<std::string> all{program_directory() + "/lab", "--name", name_};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all);
}

Finished Laboratory::exec(const std::string& host, const std::vector<std::string>& command,
                          const std::string& input) {
    std::vector<std::string> all{program_directory() + "/lab", "--name", name_, "exec", host};
    all.insert(all.end(), command.begin(), command.end());
    return run_program(all, input);
}

void Laboratory::start(const std::string& host, const std::vector<std::string>& command) {
    std::vector<std::string> all{program_directory() + "/lab", "--name", name_, "exec", host};
    all.insert(all.end(), command.begin(), command.end());
    UniqueFd null(checked(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null"));
    started_.push_back(spawn(all, null.get(), null.get(), null.get()));
}

int Laboratory::count_processes(const std::string& host, const std::string& text) {
    constexpr const char* script = R"(n=0; for p in /proc/[0-9]*; do [ "${p#/proc/}" = $$ ] && continue
        tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -qF -- "$1" && n=$((n+1)); done; echo $n)";
    Finished counted = exec(host, {"sh", "-c", script, "sh", text});
    return counted.status == 0 ? std::atoi(counted.out.c_str()) : -1;
}

}  // namespace trellis::lab
