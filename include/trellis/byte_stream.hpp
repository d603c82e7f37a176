// ByteStream: an ordered stream of bytes both ways (a tunnel to an sshd, a data-plane connection).
// Owned by its user; destroying it closes it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace trellis {

class ByteStream {
  public:
    virtual ~ByteStream() = default;
    // At least one byte, or an empty string at the end of the stream.
    virtual Task<Result<std::string>> read() = 0;
    // Returns when all bytes are accepted.
    virtual Task<Result<void>> write(std::string bytes) = 0;
    virtual void close() = 0;
};

// Dialer: opens plain TCP connections, for the tunnels of end-to-end logins.
class Dialer {
  public:
    virtual ~Dialer() = default;
    // `host`: name or numeric address. Failures: unreachable, timed_out.
    virtual Task<Result<std::unique_ptr<ByteStream>>> dial(std::string host, std::uint16_t port,
                                                           Duration timeout) = 0;
};

}  // namespace trellis
