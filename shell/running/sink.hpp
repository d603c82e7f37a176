// Sink: where data goes: the shell's own standard output or error, a file, a pipe to a local program. Writing
// waits while the reader is slow, and never stops the process by SIGPIPE (main.cpp ignores that signal).
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace trellis {

// The cause of a write's failure when the reader has gone away; everything else is in words.
inline constexpr const char* reader_gone = "the reader has gone away";

// Bytes that whoever is ready takes at once, as a pipe does (PIPE_BUF).
inline constexpr std::size_t short_write = 4096;

class Sink {
  public:
    virtual ~Sink() = default;
    // Returns when all bytes are accepted. Failure: unavailable.
    virtual Task<Result<void>> write(std::string bytes) = 0;
    // Writes at once, waiting without the event loop if need be: for short messages.
    virtual void write_now(std::string_view bytes) = 0;
    // Whether a short_write would not wait now; the other returns when that is so.
    [[nodiscard]] virtual bool ready() const { return true; }
    virtual Task<void> wait_until_ready() { co_return; }
    [[nodiscard]] virtual bool terminal() const { return false; }
    // Columns of the terminal.
    [[nodiscard]] virtual int width() const { return 80; }
    // Ends it; a Failure if what was written may not have arrived.
    virtual Result<void> close() = 0;
};

// On one of the process's own descriptors, which stays open and keeps its flags, for other programs write
// there, too: where that is possible, the file behind it is opened a second time to write without blocking.
[[nodiscard]] std::unique_ptr<Sink> open_own_output(const Executor& executor, int fd);
// On a file; unavailable if it cannot be opened.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_file_output(const Executor& executor,
                                                             const std::string& path, bool append);
// Takes over the write end of a pipe.
[[nodiscard]] std::unique_ptr<Sink> open_pipe_output(const Executor& executor, int fd);

}  // namespace trellis
