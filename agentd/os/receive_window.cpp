#include "agentd/os/receive_window.hpp"

#include "agentd/os/round_trip_clock.hpp"

#include <algorithm>
#include <linux/socket.h>
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
constexpr int unread = 8;  // windows that the buffer holds, while this host is held up

// The system raises the window with the buffer, and the buffer by its own measurement, until it is told a
// size. False: it does not allow as much and goes on itself, as before Linux 5.15, which never would again.
bool fix_buffer(int socket, int window) {
    int locks = 0, buffer = 0;
    socklen_t size = sizeof locks;
    if (::getsockopt(socket, SOL_SOCKET, SO_BUF_LOCK, &locks, &size) != 0) return false;
    const int roomy = unread * std::min(window, INT_MAX / unread);
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &roomy, sizeof roomy);
    ::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, &size);  // twice what is allowed of it
    if (buffer / 2 >= window) return true;
    locks &= ~SOCK_RCVBUF_LOCK;
    ::setsockopt(socket, SOL_SOCKET, SO_BUF_LOCK, &locks, sizeof locks);
    return false;
}

}  // namespace

double ReceiveWindow::enough(double rate, Clock::duration least_round_trip) {
    return growth * rate * Seconds(least_round_trip).count() +
           std::max(least_queue, rate * queue_time.count());
}

void ReceiveWindow::received(int socket, std::size_t bytes, Clock::time_point now) {
    if (since_ == Clock::time_point{}) since_ = now;
    bytes_ += static_cast<double>(bytes);
    if (const Seconds time = now - since_; time >= rate_time) {
        const double rate = std::exchange(bytes_, 0) / time.count();
        highest_ = std::max(highest_, std::min(rate, std::exchange(rate_, rate)));
        since_ = now;
    }
    if (now - set_ < interval) return;
    set_ = now;
    const auto round_trip = least_round_trip(socket);
    if (round_trip) set(socket, static_cast<int>(std::min<double>(enough(highest_, *round_trip), INT_MAX)));
}

// The window again and again, as the system still raises it when it finds that packets take less memory.
void ReceiveWindow::set(int socket, int window) {
    if (buffer_is_ours_ && window != window_) buffer_is_ours_ = fix_buffer(socket, window);
    window_ = window;
    ::setsockopt(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof window);
}

}  // namespace trellis
