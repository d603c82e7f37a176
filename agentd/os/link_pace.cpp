#include "agentd/os/link_pace.hpp"

#include <cstddef>
#include <cstdint>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace trellis {
namespace {

void set_pace(int socket, double rate) {
    const auto whole = rate < SelfPace::unlimited ? static_cast<std::uint64_t>(rate) : ~std::uint64_t{0};
    ::setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &whole, sizeof whole);
}

std::optional<ConnectionSigns::Seen> see(int socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
    if (size < offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt) return std::nullopt;
    return ConnectionSigns::Seen{info.tcpi_bytes_acked, info.tcpi_total_retrans,
                                 std::chrono::microseconds(info.tcpi_rtt),
                                 std::chrono::microseconds(info.tcpi_min_rtt)};
}

}  // namespace

void LinkPace::keep_below(int socket, double bits_per_second) {
    constexpr double share = 0.98;
    // Bytes of each frame: TCP with time stamps, IPv4, Ethernet, preamble and gap.
    constexpr double headers = 90;
    pace_ = std::monostate();
    if (bits_per_second == 0) {
        pace_.emplace<SelfPace>();
        return;
    }
    int segment = 0;
    socklen_t size = sizeof segment;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &segment, &size) != 0 || segment <= 0) return;
    const double rate = share * bits_per_second / 8 * segment / (segment + headers);
    set_pace(socket, rate);
    pace_.emplace<RisingPace>(rate);
}

void LinkPace::look(int socket) {
    const auto now = ConnectionSigns::Clock::now();
    if (std::holds_alternative<std::monostate>(pace_) || now - looked_ < interval) return;
    looked_ = now;
    const auto seen = see(socket);
    if (!seen) return;
    std::optional<double> rate;
    if (auto* self = std::get_if<SelfPace>(&pace_)) rate = self->next(*seen, now);
    if (auto* rising = std::get_if<RisingPace>(&pace_)) rate = rising->next(*seen, now);
    if (rate) set_pace(socket, *rate);
}

}  // namespace trellis
