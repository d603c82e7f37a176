// Looking up a host's addresses by getaddrinfo, which blocks, on a thread of its own for each name.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

namespace trellis {

// In the resolver's order. Numeric addresses need no thread. Honours asio cancellation: the thread is then
// left to end by itself. Failure unreachable: the name is unknown.
Task<Result<std::vector<asio::ip::tcp::endpoint>>> look_up(std::string host, std::uint16_t port, int family);

}  // namespace trellis
