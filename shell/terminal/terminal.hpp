// Terminal: lines that a user edits, by readline under the event loop. The only place that knows readline;
// used only if standard input is a terminal. There is one at a time, for readline keeps its state in the
// process. Owned by main.cpp.
#pragma once

#include "trellis/task.hpp"

#include "shell/running/interrupts.hpp"
#include "shell/terminal/completion.hpp"
#include "shell/terminal/console.hpp"

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

namespace trellis {

struct EditedLine {
    enum class End { line, end_of_file, interrupted };
    End end = End::line;
    std::string text;
};

class Terminal {
  public:
    using Completer = std::function<Completion(std::string_view before)>;

    // `history_file`: read now and added to line by line, for its owner alone; empty: no history is kept.
    Terminal(Executor executor, Console& console, Interrupts& interrupts, std::string history_file);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    void complete_with(Completer completer) { completer_ = std::move(completer); }
    // Reads one line. While it is edited, the console prints above it; `prompt` is asked again after that.
    Task<EditedLine> read_line(std::function<std::string()> prompt);
    // A line is being edited now.
    [[nodiscard]] bool editing() const { return editing_; }
    void remember(const std::string& line);

  private:
    class Editing;
    struct Callbacks;

    void print_above(const std::string& text);
    void line_read(char* line);
    void interrupt();
    void await_resize();

    Executor executor_;
    Console& console_;
    Interrupts& interrupts_;
    std::string history_file_;
    asio::posix::stream_descriptor input_;
    asio::signal_set resized_;
    Completer completer_;
    std::function<std::string()> prompt_;
    bool editing_ = false;
    EditedLine line_;
};

// $XDG_STATE_HOME/trellis/history, or the same under ~/.local/state; empty if there is no home directory.
[[nodiscard]] std::string default_history_file();

}  // namespace trellis
