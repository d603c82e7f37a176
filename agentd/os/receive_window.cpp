#include "agentd/os/receive_window.hpp"

#include "agentd/os/round_trip_clock.hpp"

#include <algorithm>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

#include <climits>

namespace trellis {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds rate_time(50);
constexpr std::chrono::milliseconds interval(20);
constexpr double growth = 4;          // in a round trip, of a sender that has just begun
constexpr Seconds queue_time(0.008);  // before one link; a host may be held up as long
constexpr double least_queue = 128 * 1024;

}  // namespace

double ReceiveWindow::enough(double rate, Clock::duration least_round_trip) {
    return growth * rate * Seconds(least_round_trip).count() +
           std::max(least_queue, rate * queue_time.count());
}

// Again and again, as the system lets the window follow its own measurement.
void ReceiveWindow::received(int socket, std::size_t bytes, Clock::time_point now) {
    if (since_ == Clock::time_point{}) since_ = now;
    bytes_ += static_cast<double>(bytes);
    if (const Seconds time = now - since_; time >= rate_time) {
        highest_ = std::max(highest_, std::exchange(bytes_, 0) / time.count());
        since_ = now;
    }
    if (now - set_ < interval) return;
    set_ = now;
    const auto round_trip = least_round_trip(socket);
    if (!round_trip) return;
    const int window = static_cast<int>(std::min<double>(enough(highest_, *round_trip), INT_MAX));
    ::setsockopt(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof window);
}

}  // namespace trellis
