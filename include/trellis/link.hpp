// Link: frames to and from one neighbour. Whoever holds the unique_ptr owns it; destroying it closes it.
// send() never blocks; a sender that produces bulk waits for drained().
#pragma once

#include "trellis/frame.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <cstddef>

namespace trellis {

class Link {
  public:
    virtual ~Link() = default;
    // Queues the frame; frames that are not bulk overtake bulk ones. After the link has failed: does nothing.
    virtual void send(Frame frame) = 0;
    // The next frame, or why there will be none: end of file, malformed bytes, closed.
    virtual Task<Result<Frame>> receive() = 0;
    // Returns when less than a bounded amount of bytes waits to be sent, or when the link has failed.
    virtual Task<void> drained() = 0;
    // Sends what is queued as far as possible, then ends the stream; a pending receive() returns a Failure.
    virtual void close() = 0;
};

}  // namespace trellis
