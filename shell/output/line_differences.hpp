// What differs between two texts, by lines, as the local diff tells it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <string>

namespace trellis {

// The hunks of diff -u, without the names of files; empty if the texts are equal. Unavailable if there is no
// diff.
[[nodiscard]] Task<Result<std::string>> line_differences(const std::string& from, const std::string& to);

}  // namespace trellis
