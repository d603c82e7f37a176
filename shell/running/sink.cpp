#include "shell/running/sink.hpp"

#include "shell/running/turns.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
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
    return unavailable(cause);
}

bool is_a(int fd, mode_t type) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type;
}

// Is readable when `fd` is writable, and leaves its flags alone; -1 for what never makes anybody wait.
int watch_of(int fd) {
    const int watch = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{};
    event.events = EPOLLOUT;
    if (watch < 0 || ::epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) == 0) return watch;
    ::close(watch);
    return -1;
}

class DescriptorSink final : public Sink {
  public:
    // `fd` is owned. `shared`: others have it, too, so that it cannot be made non-blocking; else it is, if
    // that makes sense for it.
    DescriptorSink(const Executor& executor, int fd, bool shared)
        : fd_(fd),
          terminal_(::isatty(fd) == 1),
          socket_(is_a(fd, S_IFSOCK)),
          shared_(shared),
          turns_(executor) {
        if (!shared) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
        if (const int watch = watch_of(fd); watch >= 0) watch_.emplace(executor, watch);
    }
    ~DescriptorSink() override { close_descriptor(); }
    DescriptorSink(const DescriptorSink&) = delete;
    DescriptorSink& operator=(const DescriptorSink&) = delete;

    Task<Result<void>> write(std::string bytes) override;
    void write_now(std::string_view bytes) override;
    [[nodiscard]] bool ready() const override;
    Task<void> wait_until_ready() override;
    [[nodiscard]] bool terminal() const override { return terminal_; }
    [[nodiscard]] int width() const override;
    Result<void> close() override;

  private:
    int write_some(std::string_view& left);
    ssize_t write_once(std::string_view bytes);
    int close_descriptor() {
        const int fd = std::exchange(fd_, -1);
        watch_.reset();
        return fd < 0 ? 0 : ::close(fd);
    }

    int fd_;
    bool terminal_;
    bool socket_;
    bool shared_;
    Turns turns_;                                          // so that lines of several jobs stay whole
    std::optional<asio::posix::stream_descriptor> watch_;  // none: nobody waits for it
};

Task<Result<void>> DescriptorSink::write(std::string bytes) {
    const std::function<void()> no_matter;
    const Turns::Turn turn = co_await turns_.take(no_matter);
    std::string_view left = bytes;
    for (;;) {
        const int error = write_some(left);
        if (error == 0 && left.empty()) co_return Result<void>{};
        if (error == EAGAIN && watch_)
            co_await watch_->async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
        else if (error != 0)
            co_return write_failure(error);
    }
}

// Also when writing would fail at once.
bool DescriptorSink::ready() const {
    pollfd descriptor{fd_, POLLOUT, 0};
    return ::poll(&descriptor, 1, 0) != 0;
}

Task<void> DescriptorSink::wait_until_ready() {
    while (watch_ && !ready())
        co_await watch_->async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
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
        const ssize_t written = write_once(left);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

ssize_t DescriptorSink::write_once(std::string_view bytes) {
    if (!shared_ || !watch_) return ::write(fd_, bytes.data(), bytes.size());
    if (socket_) return ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (ready()) return ::write(fd_, bytes.data(), std::min(bytes.size(), short_write));
    errno = EAGAIN;
    return -1;
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
int open_without_blocking(int fd) {
    if (!is_a(fd, S_IFIFO) && ::isatty(fd) != 1) return -1;
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

}  // namespace

std::unique_ptr<Sink> open_own_output(const Executor& executor, int fd) {
    const int again = open_without_blocking(fd);
    if (again >= 0) return std::make_unique<DescriptorSink>(executor, again, false);
    return std::make_unique<DescriptorSink>(executor, ::fcntl(fd, F_DUPFD_CLOEXEC, 3), true);
}

Result<std::unique_ptr<Sink>> open_file_output(const Executor& executor, const std::string& path,
                                               bool append) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : O_TRUNC);
    const int fd = ::open(path.c_str(), flags, 0666);
    if (fd >= 0) return std::unique_ptr<Sink>(std::make_unique<DescriptorSink>(executor, fd, false));
    return unavailable("cannot open " + path + ": " + std::strerror(errno));
}

std::unique_ptr<Sink> open_pipe_output(const Executor& executor, int fd) {
    return std::make_unique<DescriptorSink>(executor, fd, false);
}

}  // namespace trellis
