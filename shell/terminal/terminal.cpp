#include "shell/terminal/terminal.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <readline/history.h>
#include <readline/readline.h>

namespace trellis {
namespace {

constexpr int kept_lines = 5000;

int open_terminal_again() {
    const int again = ::open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return again >= 0 ? again : ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

// The file with its directories, readable by its owner alone.
bool make_private_file(const std::string& path) {
    std::error_code error;
    const auto directory = std::filesystem::path(path).parent_path();
    if (std::filesystem::create_directories(directory, error))
        std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool is_private = ::fchmod(fd, 0600) == 0;
    ::close(fd);
    return is_private;
}

}  // namespace

// What readline calls: it passes no object along, so the one terminal is kept here.
struct Terminal::Callbacks {
    static inline Terminal* terminal = nullptr;
    static inline Completion completion;
    static inline std::size_t next = 0;

    static void line(char* text) { terminal->line_read(text); }

    static char* candidate(const char*, int state) {
        if (state == 0) next = 0;
        if (next >= completion.candidates.size()) return nullptr;
        return ::strdup(completion.candidates[next++].c_str());
    }

    static char** complete(const char* text, int, int end) {
        rl_attempted_completion_over = 1;
        if (!terminal->completer_) return nullptr;
        completion = terminal->completer_(std::string_view(rl_line_buffer, static_cast<std::size_t>(end)));
        if (completion.files) return rl_completion_matches(text, rl_filename_completion_function);
        return rl_completion_matches(text, candidate);
    }
};

// The time in which a line is edited: readline has the terminal.
class Terminal::Editing {
  public:
    explicit Editing(Terminal& terminal) : terminal_(terminal) {
        terminal_.editing_ = true;
        rl_callback_handler_install(terminal_.prompt_().c_str(), Callbacks::line);
        terminal_.console_.print_above_with(
            [&t = terminal_](const std::string& text) { t.print_above(text); });
        previous_ = terminal_.interrupts_.handle([&t = terminal_] { t.interrupt(); });
    }
    ~Editing() {
        terminal_.interrupts_.handle(std::move(previous_));
        terminal_.console_.print_above_with({});
        if (terminal_.editing_) {  // ended from outside: what follows begins on a line of its own
            rl_callback_handler_remove();
            terminal_.console_.out().write_now("\n");
        }
        terminal_.editing_ = false;
    }
    Editing(const Editing&) = delete;
    Editing& operator=(const Editing&) = delete;

  private:
    Terminal& terminal_;
    std::function<void()> previous_;
};

Terminal::Terminal(Executor executor, Console& console, Interrupts& interrupts, std::string history_file)
    : executor_(std::move(executor)),
      console_(console),
      interrupts_(interrupts),
      history_file_(std::move(history_file)),
      input_(executor_, open_terminal_again()),
      resized_(executor_, SIGWINCH) {
    Callbacks::terminal = this;
    interrupts_.take_suspend();  // a session that stands still would be taken for dead by its hosts
    rl_readline_name = "trellis";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_basic_word_break_characters = " \t\n;|&<>()";
    rl_completer_quote_characters = "'\"";
    rl_attempted_completion_function = Callbacks::complete;
    using_history();
    stifle_history(kept_lines);
    if (!history_file_.empty() && !make_private_file(history_file_)) history_file_.clear();
    if (!history_file_.empty()) read_history(history_file_.c_str());
    await_resize();
}

Terminal::~Terminal() {
    if (!history_file_.empty()) history_truncate_file(history_file_.c_str(), kept_lines);
    Callbacks::terminal = nullptr;
}

Task<EditedLine> Terminal::read_line(std::function<std::string()> prompt) {
    prompt_ = std::move(prompt);
    line_ = EditedLine{};
    const Editing editing(*this);
    constexpr auto waiting = asio::as_tuple(asio::use_awaitable);
    while (editing_) {
        const auto [error] = co_await input_.async_wait(asio::posix::descriptor_base::wait_read, waiting);
        if (error && editing_) throw boost::system::system_error(error);
        co_await console_.out().wait_until_ready();  // readline shows what is typed without asking
        if (editing_) rl_callback_read_char();
    }
    co_return std::move(line_);
}

// From readline: the user has ended the line, or the input (null).
void Terminal::line_read(char* line) {
    rl_callback_handler_remove();
    editing_ = false;
    if (!line) {
        line_.end = EditedLine::End::end_of_file;
        console_.out().write_now("\n");
        return;
    }
    line_.text = line;
    std::free(line);
}

// Ctrl-C: what was typed stays visible, and a new line begins.
void Terminal::interrupt() {
    rl_point = rl_end;
    rl_redisplay();
    std::fflush(rl_outstream);
    console_.out().write_now("^C\n");  // before readline goes back to the beginning of the line
    rl_callback_sigcleanup();
    rl_free_line_state();
    rl_replace_line("", 1);
    rl_callback_handler_remove();
    editing_ = false;
    line_.end = EditedLine::End::interrupted;
    input_.cancel();
}

void Terminal::print_above(const std::string& text) {
    if (!editing_) return console_.err().write_now(text);
    rl_clear_visible_line();
    std::fflush(rl_outstream);
    console_.err().write_now(text);
    rl_set_prompt(prompt_().c_str());
    rl_on_new_line();
    rl_redisplay();
}

void Terminal::remember(const std::string& line) {
    if (line.find_first_not_of(" \t\n") == std::string::npos) return;
    const HIST_ENTRY* last = history_length > 0 ? history_get(history_base + history_length - 1) : nullptr;
    if (last && line == last->line) return;
    add_history(line.c_str());
    if (!history_file_.empty()) append_history(1, history_file_.c_str());
}

void Terminal::await_resize() {
    resized_.async_wait([this](const boost::system::error_code& error, int) {
        if (error) return;
        if (editing_) rl_resize_terminal();
        await_resize();
    });
}

std::string default_history_file() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') return std::string(state) + "/trellis/history";
    const char* home = std::getenv("HOME");
    return home && *home == '/' ? std::string(home) + "/.local/state/trellis/history" : "";
}

}  // namespace trellis
