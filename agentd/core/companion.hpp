// with_companion(): runs one task and, beside it, another that serves it: feeds it, or listens for it.
#pragma once

#include "trellis/task.hpp"

namespace trellis {

// Returns, or throws, when `task` does; by then the companion is cancelled and gone. A companion may end
// before; if it throws, so does this, and `task` is cancelled.
Task<void> with_companion(Task<void> task, Task<void> companion);

}  // namespace trellis
