// Work that blocks or computes, on another thread. It knows no coroutine, so that a cancellation, which
// belongs to the thread that waits, never reaches the other one.
#pragma once

#include "trellis/task.hpp"

#include <functional>

#include <boost/asio/thread_pool.hpp>

namespace trellis {

// Runs it on a thread of the pool and returns when it is done, also when this is cancelled meanwhile. What it
// throws is thrown here. The pool outlives it.
Task<void> done_on(asio::thread_pool& pool, std::function<void()> work);

}  // namespace trellis
