// final_path: where on a host what is sent comes to stand. Blocks; keeps nothing.
#pragma once

#include "trellis/file_store.hpp"

#include <string>

namespace trellis::plugins::bcast {

// Where something called `name` (empty: it has no name) comes to stand if a user sends it to `destination`,
// as cp does it: in it, if that is a directory. Failures: it cannot be put there.
[[nodiscard]] Result<std::string> final_path(FileStore& files, const std::string& destination,
                                             const std::string& name, bool directory);

}  // namespace trellis::plugins::bcast
