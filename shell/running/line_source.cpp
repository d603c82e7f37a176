#include "shell/running/line_source.hpp"

#include "shell/running/source.hpp"

#include <utility>

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

class SourceLines final : public LineSource {
  public:
    explicit SourceLines(std::unique_ptr<Source> source) : source_(std::move(source)) {}
    Task<std::optional<std::string>> next() override {
        for (;;) {
            std::optional<std::string> line = take_line(text_, at_end_);
            if (line || at_end_) co_return line;
            const Result<std::string> more = co_await source_->read();
            at_end_ = !more || more->empty();
            if (more) text_ += *more;
        }
    }

  private:
    std::unique_ptr<Source> source_;
    std::string text_;
    bool at_end_ = false;
};

}  // namespace

std::unique_ptr<LineSource> text_lines(std::string text) {
    return std::make_unique<TextLines>(std::move(text));
}

std::unique_ptr<LineSource> descriptor_lines(const Executor& executor, int fd) {
    return std::make_unique<SourceLines>(open_own_input(executor, fd));
}

}  // namespace trellis
