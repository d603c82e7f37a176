// File patterns: the paths that a pattern with *, ? and [...] means on this machine, as a shell finds them.
// Pure but for what it asks of the FileStore; blocks.
#pragma once

#include "trellis/file_store.hpp"

#include <string>
#include <vector>

namespace trellis::plugins::bcast::gather {

// Sorted; a path without such characters is given back as it is, whatever is there. Failures: nothing
// matches, or a directory cannot be read.
[[nodiscard]] Result<std::vector<std::string>> matching_paths(FileStore& files, const std::string& pattern);

}  // namespace trellis::plugins::bcast::gather
