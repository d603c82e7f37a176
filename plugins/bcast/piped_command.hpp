// piped_command: runs a command of the user on a host, with a file as its standard input. What it prints is
// not kept, but the first line of its errors when it fails.
#pragma once

#include "trellis/process.hpp"

#include <functional>
#include <string>

namespace trellis::plugins::bcast {

// `next` gives the next bytes of the input, none at the end. Failure: it could not be started or did not
// succeed.
[[nodiscard]] Task<Result<void>> run_command(Processes& processes, Executor executor, ProcessSpec spec,
                                             std::function<Task<Result<std::string>>()> next);

}  // namespace trellis::plugins::bcast
