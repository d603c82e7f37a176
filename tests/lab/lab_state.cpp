#include "tests/lab/lab_state.hpp"

#include "tests/lab/lab_error.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace trellis::lab {
namespace {

constexpr const char* root = "/run/trellis-lab";

// When a process started, in the kernel's ticks: together with its number it names one process for good.
std::string start_time(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::ostringstream text;
    text << in.rdbuf();
    auto after_name = text.str().rfind(')');
    if (after_name == std::string::npos) return "";
    std::istringstream fields(text.str().substr(after_name + 1));
    std::string field;
    for (int i = 0; i < 20; ++i)
        fields >> field;
    return field;
}

}  // namespace

LabState::LabState(const std::string& name) : name_(name), directory_(std::string(root) + "/" + name) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
    bool good =
        !name.empty() && name[0] != '.' && name.size() < 40 && std::all_of(name.begin(), name.end(), fits);
    if (!good) throw LabError("laboratory name '" + name + "': expected letters, digits, '-', '_' or '.'");
}

void LabState::create() {
    if (process())
        throw LabError("laboratory '" + name_ + "' is up; take it down first, or choose another --name");
    remove();
    mkdir(root, 0755);
    checked(mkdir(directory_.c_str(), 0700), directory_);
}

void LabState::remove() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
    std::filesystem::remove(root, ignored);  // only if no other laboratory is there
}

void LabState::record_process(pid_t pid) {
    std::ofstream(file("process")) << pid << ' ' << start_time(pid) << '\n';
}

std::optional<UniqueFd> LabState::process() const {
    pid_t pid = 0;
    std::string started;
    std::ifstream(file("process")) >> pid >> started;
    if (pid <= 0) return std::nullopt;
    UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd || start_time(pid) != started || await_end(pidfd.get(), 0)) return std::nullopt;
    return pidfd;
}

bool await_end(int pidfd, int milliseconds) {
    pollfd wanted{pidfd, POLLIN, 0};
    return poll(&wanted, 1, milliseconds) > 0;
}

}  // namespace trellis::lab
