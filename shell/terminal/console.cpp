#include "shell/terminal/console.hpp"

#include "shell/output/visible_text.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

constexpr std::size_t most_said = std::size_t{1} << 20;  // bytes; what is said beyond is not told

}  // namespace

Console::Console(const Executor& executor, int out, int err)
    : executor_(executor), out_(open_own_output(executor, out)), err_(open_own_output(executor, err)) {}

Console::~Console() {
    err_->write_now(said_);
}

Task<Result<void>> Console::write(Sink& sink, std::string text) {
    const bool own = &sink == out_.get() || &sink == err_.get();
    if (!own || !sink.terminal() || !above_) co_return co_await sink.write(std::move(text));
    if (!text.ends_with('\n')) text += '\n';
    co_await sink.wait_until_ready();
    if (!above_) co_return co_await sink.write(std::move(text));
    above_(text);
    co_return Result<void>{};
}

void Console::say(const std::string& line) {
    clear_progress();
    put((err_->terminal() ? visible_text(line) : line) + "\n");
}

void Console::put(const std::string& text) {
    if (said_.size() < most_said) said_ += text;
    if (telling_) return;
    tell();
    if (said_.empty()) return;
    telling_ = true;
    asio::co_spawn(executor_, tell_later(), asio::detached);
}

// In pieces that a reader who is ready takes at once.
void Console::tell() {
    while (!said_.empty() && err_->ready()) {
        const std::string text = said_.substr(0, above_ ? std::string::npos : short_write);
        said_.erase(0, text.size());
        if (above_)
            above_(text);
        else
            err_->write_now(text);
    }
}

Task<void> Console::tell_later() {
    while (!said_.empty()) {
        co_await err_->wait_until_ready();
        tell();
    }
    telling_ = false;
}

void Console::progress(const std::string& line) {
    if (!err_->terminal() || above_ || !err_->ready()) return;
    const auto width = static_cast<std::size_t>(err_->width());
    err_->write_now("\r\033[K" + visible_text(line).substr(0, width - 1));
    progress_shown_ = true;
}

void Console::clear_progress() {
    if (std::exchange(progress_shown_, false)) put("\r\033[K");
}

}  // namespace trellis
