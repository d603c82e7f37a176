// LineSource: where a script's lines come from: a text, or a descriptor that is read while the session lives.
// Owned by the script front end.
#pragma once

#include "trellis/task.hpp"

#include <memory>
#include <optional>
#include <string>

namespace trellis {

class LineSource {
  public:
    virtual ~LineSource() = default;
    // The next line without its end; nothing at the end of the source. An error of reading is an end.
    virtual Task<std::optional<std::string>> next() = 0;
};

[[nodiscard]] std::unique_ptr<LineSource> text_lines(std::string text);
// Reads the process's own descriptor without changing its flags where that is possible.
[[nodiscard]] std::unique_ptr<LineSource> descriptor_lines(const Executor& executor, int fd);

}  // namespace trellis
