// Console: the shell's own standard output and error, and the line of progress at the bottom of a terminal.
// Owned by main.cpp. It reads nothing, and knows the prompt only as something to print above.
#pragma once

#include "shell/running/sink.hpp"

#include <functional>
#include <memory>
#include <string>

namespace trellis {

class Console {
  public:
    // Descriptors to write to; they are not closed.
    Console(const Executor& executor, int out, int err);
    ~Console();  // what was said is told by then
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    [[nodiscard]] Sink& out() { return *out_; }
    [[nodiscard]] Sink& err() { return *err_; }
    // To `sink`; if that is one of the two above and a terminal, in whole lines above the prompt if there is
    // one.
    Task<Result<void>> write(Sink& sink, std::string text);
    // One line to standard error, above the prompt if there is one; at once, or when its reader goes on.
    void say(const std::string& line);
    // A line that the next output overwrites; nothing unless standard error is a terminal that goes on.
    void progress(const std::string& line);
    void clear_progress();
    // While the user edits a line: how to write bytes to the terminal above it. Empty: nobody edits.
    void print_above_with(std::function<void(const std::string&)> printer) { above_ = std::move(printer); }

  private:
    void put(const std::string& text);
    void tell();
    Task<void> tell_later();

    Executor executor_;
    std::unique_ptr<Sink> out_;
    std::unique_ptr<Sink> err_;
    bool progress_shown_ = false;
    std::string said_;  // while standard error does not take it
    bool telling_ = false;
    std::function<void(const std::string&)> above_;
};

}  // namespace trellis
