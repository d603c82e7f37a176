#include "agentd/os/link_pace.hpp"

#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace trellis {

void keep_below_link(int socket, double bits_per_second) {
    constexpr double share = 0.98;
    // Bytes of each frame: TCP with time stamps, IPv4, Ethernet, preamble and gap.
    constexpr double headers = 90;
    int segment = 0;
    socklen_t size = sizeof segment;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &segment, &size) != 0 || segment <= 0) return;
    const auto rate = static_cast<std::uint64_t>(share * bits_per_second / 8 * segment / (segment + headers));
    ::setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate);
}

}  // namespace trellis
