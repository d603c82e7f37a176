// TcpDialer: opens TCP connections without ever blocking the event loop: names are looked up on threads that
// may be abandoned, addresses (IPv6 and IPv4) are tried in the resolver's order. Owned by main.cpp; keeps no
// connection.
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace trellis {

// A connected, non-blocking socket without Nagle's delay. `host`: name or numeric address. `family`: AF_INET,
// AF_INET6 or AF_UNSPEC. Honours asio cancellation. Failure unreachable names the address and the cause.
Task<Result<FileDescriptor>> connect_tcp(std::string host, std::uint16_t port, int family);
// The same, with the failure timed_out if it takes longer.
Task<Result<FileDescriptor>> connect_tcp_within(std::string host, std::uint16_t port, int family,
                                                Duration timeout);

class TcpDialer : public Dialer {
  public:
    explicit TcpDialer(const Executor& executor) : executor_(executor) {}
    Task<Result<std::unique_ptr<ByteStream>>> dial(std::string host, std::uint16_t port,
                                                   Duration timeout) override;

  private:
    Executor executor_;
};

}  // namespace trellis
