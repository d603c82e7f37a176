// A bridge from a ByteStream to a file: some libraries (libssh) want a descriptor where we have a stream. The
// bytes are copied both ways until one side ends; then both are closed.
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <memory>

namespace trellis {

// The near end of a socket pair whose far end is joined to the stream. Failure cannot_start: no descriptors.
Result<FileDescriptor> bridge_to_descriptor(const Executor& executor, std::unique_ptr<ByteStream> stream);

// Copies the bytes of two streams to one another until one of them ends; then both are closed.
Task<void> join_streams(std::shared_ptr<ByteStream> a, std::shared_ptr<ByteStream> b);

}  // namespace trellis
