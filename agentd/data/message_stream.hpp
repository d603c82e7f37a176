// MessageStream: whole messages over a ByteStream, each after its length (4 bytes, little-endian). Owned
// jointly by those who use it; closing or destroying it closes the stream. It never reads or writes more than
// the cap, and allocates for bytes that have come, not for a length that was claimed.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/frame.hpp"

#include "agentd/core/mailbox.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace trellis {

// Leaves room for what is put around a message when it goes over the control tree.
inline constexpr std::size_t max_peer_message = max_frame_body - 64;

class MessageStream {
  public:
    MessageStream(const Executor& executor, std::unique_ptr<ByteStream> stream);

    // The next message. Failures: lost (the stream ended or broke), invalid (a message over the cap).
    // For one coroutine at a time.
    Task<Result<std::string>> receive();
    // Returns when the message is accepted. From any number of coroutines; one that is cancelled within it
    // leaves the stream closed, since a part of its message may be out.
    Task<Result<void>> send(std::string message);
    void close();

  private:
    class Turn;
    Task<Result<void>> fill(std::size_t size);
    std::unique_ptr<ByteStream> stream_;
    std::string input_;
    bool writing_ = false;
    bool closed_ = false;
    Signal written_;
};

}  // namespace trellis
