#include "shell/sink.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {
namespace {

Failure write_failure(int error) {
    const std::string cause =
        error == EPIPE ? reader_gone : std::string("cannot write: ") + std::strerror(error);
    return Failure{FailureKind::unavailable, "", "", cause};
}

class DescriptorSink final : public Sink {
  public:
    // `fd` is owned; `waits` if it is non-blocking.
    DescriptorSink(const Executor& executor, int fd, bool waits) : fd_(fd), terminal_(::isatty(fd) == 1) {
        if (waits) ready_.emplace(executor, fd);
    }
    ~DescriptorSink() override { close_descriptor(); }
    DescriptorSink(const DescriptorSink&) = delete;
    DescriptorSink& operator=(const DescriptorSink&) = delete;

    Task<Result<void>> write(std::string bytes) override;
    void write_now(std::string_view bytes) override;
    [[nodiscard]] bool terminal() const override { return terminal_; }
    [[nodiscard]] int width() const override;
    Result<void> close() override;

  private:
    int write_some(std::string_view& left);
    int close_descriptor() {
        const int fd = std::exchange(fd_, -1);
        if (ready_) ready_->release();
        ready_.reset();
        return fd < 0 ? 0 : ::close(fd);
    }

    int fd_;
    bool terminal_;
    std::optional<asio::posix::stream_descriptor> ready_;
};

Task<Result<void>> DescriptorSink::write(std::string bytes) {
    std::string_view left = bytes;
    for (;;) {
        const int error = write_some(left);
        if (error == 0 && left.empty()) co_return Result<void>{};
        if (error == EAGAIN && ready_)
            co_await ready_->async_wait(asio::posix::descriptor_base::wait_write, asio::use_awaitable);
        else if (error != 0)
            co_return write_failure(error);
    }
}

void DescriptorSink::write_now(std::string_view bytes) {
    for (int error = 0; !bytes.empty() && (error == 0 || error == EAGAIN); error = write_some(bytes)) {
        pollfd descriptor{fd_, POLLOUT, 0};
        ::poll(&descriptor, 1, -1);
    }
}

// Writes what is accepted and takes it off `left`; 0, or the error.
int DescriptorSink::write_some(std::string_view& left) {
    while (!left.empty()) {
        const ssize_t written = ::write(fd_, left.data(), left.size());
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

int DescriptorSink::width() const {
    winsize size{};
    return terminal_ && ::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Result<void> DescriptorSink::close() {
    if (close_descriptor() == 0) return {};
    return write_failure(errno);
}

// Terminals and pipes can be opened again: the new descriptor has flags of its own.
int open_again(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !(S_ISFIFO(status.st_mode) || ::isatty(fd) == 1)) return -1;
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

}  // namespace

std::unique_ptr<Sink> open_own_output(const Executor& executor, int fd) {
    const int again = open_again(fd);
    if (again >= 0) return std::make_unique<DescriptorSink>(executor, again, true);
    return std::make_unique<DescriptorSink>(executor, ::fcntl(fd, F_DUPFD_CLOEXEC, 3), false);
}

Result<std::unique_ptr<Sink>> open_file_output(const Executor& executor, const std::string& path,
                                               bool append) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : O_TRUNC);
    const int fd = ::open(path.c_str(), flags, 0666);
    if (fd >= 0) return std::unique_ptr<Sink>(std::make_unique<DescriptorSink>(executor, fd, false));
    return Failure{FailureKind::unavailable, "", "", "cannot open " + path + ": " + std::strerror(errno)};
}

std::unique_ptr<Sink> open_pipe_output(const Executor& executor, int fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    return std::make_unique<DescriptorSink>(executor, fd, true);
}

}  // namespace trellis
