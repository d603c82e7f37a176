#include "shell/output/line_differences.hpp"

#include "shell/running/local_program.hpp"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

// A file in memory, which a local program opens under its path.
class MemoryFile {
  public:
    explicit MemoryFile(const std::string& content) : fd_(::memfd_create("trellis", MFD_CLOEXEC)) {
        for (std::size_t at = 0; at < content.size();) {
            const ssize_t written = ::write(fd_, content.data() + at, content.size() - at);
            if (written <= 0) break;
            at += static_cast<std::size_t>(written);
        }
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] int descriptor() const { return fd_; }
    [[nodiscard]] std::string path() const {
        return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_);
    }
    [[nodiscard]] std::string content() const {
        std::string text(static_cast<std::size_t>(std::max<off_t>(::lseek(fd_, 0, SEEK_END), 0)), '\0');
        const ssize_t size = ::pread(fd_, text.data(), text.size(), 0);
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        return text;
    }

  private:
    int fd_;
};

}  // namespace

Task<Result<std::string>> line_differences(const std::string& from, const std::string& to) {
    if (from == to) co_return std::string();
    const MemoryFile before(from), after(to), hunks("");
    const Executor executor = co_await asio::this_coro::executor;
    const std::string command =
        "diff -a -u " + before.path() + " " + after.path() + " 2>/dev/null | tail -n +3";
    Result<LocalProgram> program = LocalProgram::start(executor, command, -1, hunks.descriptor());
    if (!program) co_return program.error();
    co_await program->wait();
    std::string text = hunks.content();
    if (text.empty()) co_return unavailable("the local diff does not work");
    co_return text;
}

}  // namespace trellis
