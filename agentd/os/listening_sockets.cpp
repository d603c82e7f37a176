#include "agentd/os/listening_sockets.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace trellis {
namespace {

constexpr int backlog = 256;
constexpr int port_attempts = 16;  // a port that is free on one address may be taken on another

std::uint16_t port_of(const FileDescriptor& socket) {
    SocketAddress bound;
    bound.size = sizeof bound.storage;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound.storage), &bound.size);
    return ntohs(bound.storage.ss_family == AF_INET
                     ? reinterpret_cast<const sockaddr_in&>(bound.storage).sin_port
                     : reinterpret_cast<const sockaddr_in6&>(bound.storage).sin6_port);
}

void set_option(const FileDescriptor& socket, int level, int option) {
    const int one = 1;
    ::setsockopt(socket.get(), level, option, &one, sizeof one);
}

FileDescriptor tcp_socket(int family) {
    return FileDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Closed if that fails; errno says why.
FileDescriptor listen_at(const SocketAddress& address) {
    FileDescriptor socket = tcp_socket(address.storage.ss_family);
    if (!socket.open()) return socket;
    if (address.storage.ss_family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY);
    if (::bind(socket.get(), address.get(), address.size) == 0 && ::listen(socket.get(), backlog) == 0) {
        return socket;
    }
    return {};
}

struct Attempt {
    ListeningSockets listening;
    bool port_taken = false;  // on one of the addresses: try another port
    int error = 0;
};

Attempt listen_once(const std::vector<Address>& own) {
    Attempt attempt;
    auto& [sockets, endpoint] = attempt.listening;
    for (const Address& address : own) {
        const auto target = socket_address(address.ip, endpoint.port);
        FileDescriptor socket = target ? listen_at(*target) : FileDescriptor();
        if (!socket.open()) {
            attempt.error = target ? errno : EINVAL;
            attempt.port_taken |= endpoint.port != 0 && attempt.error == EADDRINUSE;
            continue;
        }
        if (endpoint.port == 0) endpoint.port = port_of(socket);
        endpoint.addresses.push_back(address);
        sockets.push_back(std::move(socket));
    }
    return attempt;
}

bool contains_network(const std::vector<Address>& own, const Address& address) {
    return !address.network.empty() && std::any_of(own.begin(), own.end(), [&](const Address& one) {
        return one.network == address.network;
    });
}

bool contains_ip(const std::vector<Address>& own, const Address& address) {
    return std::any_of(own.begin(), own.end(), [&](const Address& one) { return one.ip == address.ip; });
}

}  // namespace

std::optional<SocketAddress> socket_address(const std::string& ip, std::uint16_t port) {
    SocketAddress result;
    auto& v4 = reinterpret_cast<sockaddr_in&>(result.storage);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(result.storage);
    if (::inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        result.size = sizeof v4;
    } else if (::inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        result.size = sizeof v6;
    } else {
        return std::nullopt;
    }
    return result;
}

Result<ListeningSockets> listen_on(const std::vector<Address>& own) {
    Attempt attempt = listen_once(own);
    for (int i = 1; attempt.port_taken && i < port_attempts; ++i)
        attempt = listen_once(own);
    if (!attempt.listening.sockets.empty()) return std::move(attempt.listening);
    const std::string cause = own.empty() ? "this host has no address" : std::strerror(attempt.error);
    return Failure{FailureKind::unavailable, "listen for peers", "", cause};
}

FileDescriptor accept_from(const FileDescriptor& listener) {
    FileDescriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.open()) set_option(socket, IPPROTO_TCP, TCP_NODELAY);
    return socket;
}

FileDescriptor begin_connect(const SocketAddress& address) {
    FileDescriptor socket = tcp_socket(address.storage.ss_family);
    if (!socket.open()) return socket;
    set_option(socket, IPPROTO_TCP, TCP_NODELAY);
    if (::connect(socket.get(), address.get(), address.size) == 0 || errno == EINPROGRESS) return socket;
    const int error = errno;
    socket.reset();
    errno = error;
    return socket;
}

int connect_error(const FileDescriptor& socket) {
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

std::vector<Address> dialing_order(const std::vector<Address>& own, const std::vector<Address>& there) {
    std::vector<Address> order = there;
    const auto rank = [&](const Address& address) {
        if (contains_ip(own, address)) return 2;
        return contains_network(own, address) ? 0 : 1;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Address& a, const Address& b) { return rank(a) < rank(b); });
    return order;
}

std::string peer_address(const FileDescriptor& socket) {
    SocketAddress peer;
    peer.size = sizeof peer.storage;
    if (::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.size) != 0) return "?";
    char text[INET6_ADDRSTRLEN] = "";
    const void* raw =
        peer.storage.ss_family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(peer.storage).sin_addr)
            : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(peer.storage).sin6_addr);
    ::inet_ntop(peer.storage.ss_family, raw, text, sizeof text);
    return text;
}

}  // namespace trellis
