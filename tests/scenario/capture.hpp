// Capture: a file without a name that stands for standard output or error. Owned by the test, which reads
// what was written to it.
#pragma once

#include <array>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace trellis {

class Capture {
  public:
    Capture() : fd_(::memfd_create("capture", MFD_CLOEXEC)) {}
    ~Capture() { ::close(fd_); }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    [[nodiscard]] int fd() const { return fd_; }
    // What was written since the last call.
    std::string take() {
        std::string text;
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::pread(fd_, buffer.data(), buffer.size(), read_)) > 0; read_ += got)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        return text;
    }

  private:
    int fd_;
    off_t read_ = 0;
};

}  // namespace trellis
