// Source: where data comes from: the shell's own standard input, a file, a pipe from a local program. It is
// read only as fast as it is asked for. Owned by who reads it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <memory>
#include <string>

namespace trellis {

class Source {
  public:
    virtual ~Source() = default;
    // At least one byte, at most 64 KiB; empty at the end. Failure: unavailable.
    virtual Task<Result<std::string>> read() = 0;
};

// On one of the process's own descriptors, which stays open and, where that is possible, keeps its flags.
[[nodiscard]] std::unique_ptr<Source> open_own_input(const Executor& executor, int fd);
// On a file; unavailable if it cannot be opened.
[[nodiscard]] Result<std::unique_ptr<Source>> open_file_input(const Executor& executor,
                                                              const std::string& path);
// Takes over the read end of a pipe.
[[nodiscard]] std::unique_ptr<Source> open_pipe_input(const Executor& executor, int fd);

}  // namespace trellis
