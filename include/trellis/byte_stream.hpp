// ByteStream: an ordered stream of bytes both ways (a tunnel to an sshd, a data-plane connection).
// Owned by its user; destroying it closes it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

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

}  // namespace trellis
