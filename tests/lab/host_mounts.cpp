#include "tests/lab/host_mounts.hpp"

#include "tests/lab/lab_error.hpp"
#include "tests/lab/unique_fd.hpp"

#include <fcntl.h>
#include <filesystem>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trellis::lab {
namespace {

void bind_mount(const std::string& source, const std::string& target, bool read_only) {
    checked(mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr), "bind " + target);
    if (!read_only) return;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
    checked(mount(nullptr, target.c_str(), nullptr, flags, nullptr), "make " + target + " read-only");
}

void mount_tmpfs(const std::string& target, const HostPlan& plan, const char* mode) {
    std::string options = "size=" + std::to_string(plan.tmp_size) + ",mode=" + mode;
    if (plan.huge_pages) options += ",huge=within_size";
    checked(mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()),
            "tmpfs on " + target);
}

void write_file(const std::string& path, const HostFile& file) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    UniqueFd fd(checked(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file.mode), path));
    const std::string& text = file.content;
    if (write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        fail_errno("write " + path);
    checked(fchmod(fd.get(), file.mode), "chmod " + path);
}

bool over_machine(const HostFile& file) {
    return file.path.starts_with("/etc/");
}

// A file is laid over one that is there; a bare system may lack /etc/hosts.
void make_mount_points(const HostPlan& plan) {
    for (const HostFile& file : plan.files) {
        if (!over_machine(file) || std::filesystem::exists(std::filesystem::symlink_status(file.path)))
            continue;
        UniqueFd fd(checked(open(file.path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, file.mode), file.path));
    }
}

// A directory of the machine held open while a private file system goes over it.
struct Held {
    std::string path;
    UniqueFd fd;
};

std::vector<Held> hold(const std::vector<std::string>& paths) {
    std::vector<Held> held;
    for (const std::string& path : paths) {
        UniqueFd fd(checked(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), path));
        held.push_back({path, std::move(fd)});
    }
    return held;
}

}  // namespace

const std::vector<std::string>& private_directories() {
    static const std::vector<std::string> directories{"/tmp", "/var/tmp", "/dev/shm", "/run", home_directory};
    return directories;
}

void make_mounts_private() {
    checked(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make the mounts private");
}

void mount_host_file_systems(const HostPlan& plan) {
    make_mount_points(plan);
    auto held = hold(plan.visible);
    checked(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mount /proc");
    checked(mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, nullptr),
            "mount /sys");
    for (const std::string& directory : private_directories()) {
        const char* mode = directory == home_directory ? "0700" : directory == "/run" ? "0755" : "1777";
        mount_tmpfs(directory, plan, mode);
    }
    for (const Held& directory : held) {
        std::filesystem::create_directories(directory.path);
        bind_mount("/proc/self/fd/" + std::to_string(directory.fd.get()), directory.path, !plan.writable);
    }
    unsigned long read_only = MS_REMOUNT | MS_BIND | MS_RDONLY;
    if (!plan.writable) checked(mount(nullptr, "/", nullptr, read_only, nullptr), "make / read-only");
}

void write_host_files(const HostPlan& plan) {
    umask(022);
    std::filesystem::create_directories("/run/sshd");
    for (const HostFile& file : plan.files) {
        const std::string path = over_machine(file) ? "/run/lab" + file.path : file.path;
        write_file(path, file);
        const bool there = access(file.path.c_str(), F_OK) == 0;  // else a link into what is private here
        if (over_machine(file) && there) bind_mount(path, file.path, false);
    }
    std::string ssh = std::string(home_directory) + "/.ssh";
    checked(chmod(ssh.c_str(), 0700), ssh);
}

}  // namespace trellis::lab
