#include "shell/line_source.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {
namespace {

// The first line of the text, taken off it; nothing if it holds no whole line.
std::optional<std::string> take_line(std::string& text, bool at_end) {
    const std::size_t end = text.find('\n');
    if (end == std::string::npos && (!at_end || text.empty())) return std::nullopt;
    std::string line = text.substr(0, end);
    text.erase(0, end == std::string::npos ? end : end + 1);
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

class TextLines final : public LineSource {
  public:
    explicit TextLines(std::string text) : text_(std::move(text)) {}
    Task<std::optional<std::string>> next() override { co_return take_line(text_, true); }

  private:
    std::string text_;
};

// Regular files cannot be waited for, and are always ready.
bool is_regular(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int open_again(int fd) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const int again = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return again >= 0 ? again : ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

class DescriptorLines final : public LineSource {
  public:
    DescriptorLines(const Executor& executor, int fd) : fd_(fd) {
        if (!is_regular(fd)) ready_.emplace(executor, fd_ = open_again(fd));
    }
    Task<std::optional<std::string>> next() override;

  private:
    Task<void> read_more();

    int fd_;
    std::optional<asio::posix::stream_descriptor> ready_;
    std::string text_;
    bool at_end_ = false;
};

Task<std::optional<std::string>> DescriptorLines::next() {
    for (;;) {
        std::optional<std::string> line = take_line(text_, at_end_);
        if (line || at_end_) co_return line;
        co_await read_more();
    }
}

Task<void> DescriptorLines::read_more() {
    char buffer[4096];
    const ssize_t got = ::read(fd_, buffer, sizeof buffer);
    if (got > 0)
        text_.append(buffer, static_cast<std::size_t>(got));
    else if (got < 0 && errno == EAGAIN && ready_)
        co_await ready_->async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
    else if (got == 0 || errno != EINTR)
        at_end_ = true;
}

}  // namespace

std::unique_ptr<LineSource> text_lines(std::string text) {
    return std::make_unique<TextLines>(std::move(text));
}

std::unique_ptr<LineSource> descriptor_lines(const Executor& executor, int fd) {
    return std::make_unique<DescriptorLines>(executor, fd);
}

}  // namespace trellis
