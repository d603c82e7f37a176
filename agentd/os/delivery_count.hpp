// How much of what a connection sent has arrived, as its kernel knows from the acknowledgements: neither what
// waits in buffers at this end counts, nor does a program that is slow to read at the other one matter.
#pragma once

#include <cstdint>
#include <optional>

namespace trellis {

// Bytes of a TCP connection, those that came behind a gap in whole segments. Nothing if the kernel does not
// tell (Linux before 4.2), or if it is another kind of socket.
[[nodiscard]] std::optional<std::uint64_t> delivered_bytes(int socket);

// Bytes that a connection has been given and that have not arrived, however far they are. Nothing if it is
// another kind of socket.
[[nodiscard]] std::optional<std::uint64_t> undelivered_bytes(int socket);

}  // namespace trellis
