// How long a connection's packets are on their way, as the kernels at both ends see it: from sending data to
// its acknowledgement, which the other kernel sends before any program there runs. What else the processors
// of both hosts do is thus not counted. (Linux; the resolution is a microsecond.)
#pragma once

#include "trellis/time.hpp"

#include <optional>

namespace trellis {

// The least of all round trips of a TCP connection so far; nothing if the kernel does not tell, or if it is
// another kind of socket.
[[nodiscard]] std::optional<Duration> least_round_trip(int socket);

// What arrives next is acknowledged on arrival, not together with an answer. Lasts for a packet or so.
void acknowledge_at_once(int socket);

}  // namespace trellis
