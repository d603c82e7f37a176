// The sockets of direct connections between agents: listeners on the host's own addresses under one port, and
// the order in which a peer's addresses are tried. Plain calls; whoever asks for a socket owns it.
#pragma once

#include "trellis/peer.hpp"
#include "trellis/result.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <optional>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace trellis {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// From a numeric IPv4 or IPv6 address.
std::optional<SocketAddress> socket_address(const std::string& ip, std::uint16_t port);

struct ListeningSockets {
    std::vector<FileDescriptor> sockets;  // non-blocking, close-on-exec
    Endpoint endpoint;                    // the addresses that could be bound, and the port
};

// Listens on `own` alone, on a port that the kernel chooses; an address that cannot be bound is left out.
// Failure (unavailable): none could.
Result<ListeningSockets> listen_on(const std::vector<Address>& own);

// The next connection that waits, non-blocking and without Nagle's delay; closed if there is none.
FileDescriptor accept_from(const FileDescriptor& listener);

// Begins to connect. A closed one if that fails at once; errno says why.
FileDescriptor begin_connect(const SocketAddress& address);

// How a connection came out that was begun: 0 or an errno.
int connect_error(const FileDescriptor& socket);

// `there` with the addresses on a network that `own` shares first; those that are also our own last (every
// machine's container bridge has the same one).
std::vector<Address> dialing_order(const std::vector<Address>& own, const std::vector<Address>& there);

// The numeric address of the other side, for messages.
std::string peer_address(const FileDescriptor& socket);

}  // namespace trellis
