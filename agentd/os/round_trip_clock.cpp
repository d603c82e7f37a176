#include "agentd/os/round_trip_clock.hpp"

#include <cstddef>
#include <limits>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace trellis {

std::optional<Duration> least_round_trip(int socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
    const bool told = size >= offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt;
    if (!told || info.tcpi_min_rtt == 0 || info.tcpi_min_rtt == std::numeric_limits<__u32>::max())
        return std::nullopt;
    return std::chrono::microseconds(info.tcpi_min_rtt);
}

void acknowledge_at_once(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
}

}  // namespace trellis
