#include "agentd/os/delivery_count.hpp"

#include <cstddef>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace trellis {

std::optional<std::uint64_t> delivered_bytes(int socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
    if (size < offsetof(tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) return std::nullopt;
    return info.tcpi_bytes_acked + std::uint64_t{info.tcpi_sacked} * info.tcpi_snd_mss;
}

std::optional<std::uint64_t> undelivered_bytes(int socket) {
    int size = 0;
    if (::ioctl(socket, SIOCOUTQ, &size) != 0 || size < 0) return std::nullopt;
    return static_cast<std::uint64_t>(size);
}

}  // namespace trellis
