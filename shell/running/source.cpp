#include "shell/running/source.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace trellis {
namespace {

constexpr std::size_t most_at_once = std::size_t{64} << 10;

class DescriptorSource final : public Source {
  public:
    // `fd` is owned. It may block: it is read only when it has something.
    DescriptorSource(const Executor& executor, int fd) : fd_(executor, fd) {}
    Task<Result<std::string>> read() override;

  private:
    asio::posix::stream_descriptor fd_;
};

Task<Result<std::string>> DescriptorSource::read() {
    constexpr auto waiting = asio::as_tuple(asio::use_awaitable);
    for (;;) {
        // What cannot be waited for (a file, /dev/zero) does not block.
        const auto [error] = co_await fd_.async_wait(asio::posix::descriptor_base::wait_read, waiting);
        if (error && error != asio::error::operation_not_supported) throw boost::system::system_error(error);
        std::string bytes(most_at_once, '\0');
        const ssize_t got = ::read(fd_.native_handle(), bytes.data(), bytes.size());
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got < 0) co_return unavailable(std::string("cannot read: ") + std::strerror(errno));
        bytes.resize(static_cast<std::size_t>(got));
        co_return bytes;
    }
}

// Terminals and pipes are opened a second time, so that reading never blocks; a file has its place, which
// would be lost.
int open_again(int fd) {
    struct stat status {};
    const bool file = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const int again = file ? -1 : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return again >= 0 ? again : ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

std::unique_ptr<Source> open_own_input(const Executor& executor, int fd) {
    return std::make_unique<DescriptorSource>(executor, open_again(fd));
}

Result<std::unique_ptr<Source>> open_file_input(const Executor& executor, const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0) return std::unique_ptr<Source>(std::make_unique<DescriptorSource>(executor, fd));
    return unavailable("cannot open " + path + ": " + std::strerror(errno));
}

std::unique_ptr<Source> open_pipe_input(const Executor& executor, int fd) {
    return std::make_unique<DescriptorSource>(executor, fd);
}

}  // namespace trellis
