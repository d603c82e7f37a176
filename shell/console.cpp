#include "shell/console.hpp"

#include "shell/visible_text.hpp"

namespace trellis {

Console::Console(const Executor& executor, int out, int err)
    : out_(open_own_output(executor, out)), err_(open_own_output(executor, err)) {}

void Console::say(const std::string& line) {
    clear_progress();
    const std::string text = (err_->terminal() ? visible_text(line) : line) + "\n";
    if (above_)
        above_(text);
    else
        err_->write_now(text);
}

void Console::progress(const std::string& line) {
    if (!err_->terminal() || above_) return;
    const auto width = static_cast<std::size_t>(err_->width());
    err_->write_now("\r\033[K" + visible_text(line).substr(0, width - 1));
    progress_shown_ = true;
}

void Console::clear_progress() {
    if (progress_shown_) err_->write_now("\r\033[K");
    progress_shown_ = false;
}

}  // namespace trellis
