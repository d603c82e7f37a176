// Whole files: read, and replaced in one step.
#include "shell/session/session_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace trellis {
namespace {

Failure file_failure(const char* what, const std::string& path, int error) {
    return unavailable(std::string("cannot ") + what + " " + path + ": " + std::strerror(error));
}

class File {
  public:
    explicit File(int fd) : fd_(fd) {}
    ~File() {
        if (fd_ >= 0) ::close(fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] int fd() const { return fd_; }
    int close() { return ::close(std::exchange(fd_, -1)); }

  private:
    int fd_;
};

// 0, or the error.
int write_all(File& file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file.fd(), text.data(), text.size());
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file.fd()) != 0 && errno != EINVAL) return errno;
    return file.close() == 0 ? 0 : errno;
}

// The file that a symbolic link stands for, so that replacing it keeps the link.
std::string real_path(const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    return error ? path : real.string();
}

}  // namespace

Result<void> write_file_atomically(const std::string& path, std::string_view text) {
    const std::string target = real_path(path);
    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return file_failure("replace", path, EEXIST);
    std::string temporary = target + ".XXXXXX";
    File file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.fd() < 0) return file_failure("write", path, errno);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    int error = ::fchmod(file.fd(), exists ? old.st_mode & 07777 : 0666 & ~mask) == 0 ? 0 : errno;
    if (error == 0) error = write_all(file, text);
    if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
    if (error == 0) return {};
    ::unlink(temporary.c_str());
    return file_failure("write", path, error);
}

Result<std::string> read_whole_file(const std::string& path, std::size_t most) {
    File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (file.fd() < 0) return file_failure("read", path, errno);
    std::string text;
    for (;;) {
        char buffer[65536];
        const ssize_t got = ::read(file.fd(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_failure("read", path, errno);
        if (got == 0) return text;
        text.append(buffer, static_cast<std::size_t>(got));
        if (text.size() > most) return file_failure("read", path, EFBIG);
    }
}

}  // namespace trellis
