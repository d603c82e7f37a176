#include "agentd/os/receive_window.hpp"

#include "agentd/os/loopback_connection_test.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;

int window_of(const FileDescriptor& socket) {
    int window = 0;
    socklen_t size = sizeof window;
    EXPECT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, &size), 0);
    return window;
}

TEST(ReceiveWindow, HoldsAShortWayAndLessThanASwitchsQueue) {
    const double window = ReceiveWindow::enough(12.5e6, std::chrono::microseconds(500));
    EXPECT_GT(window, 12.5e6 * 0.008);
    EXPECT_LT(window, 256e3);
}

TEST(ReceiveWindow, LetsASenderGrowOnALongWay) {
    EXPECT_GT(ReceiveWindow::enough(125e6, milliseconds(100)), 2 * 125e6 * 0.1);
}

TEST(ReceiveWindow, GrowsWithTheRateAndStaysWhereItFalls) {
    const LoopbackConnection connection;
    ReceiveWindow window;
    auto now = ReceiveWindow::Clock::now();
    const auto receive = [&](std::size_t each) {
        for (int i = 0; i < 100; ++i)
            window.received(connection.far.get(), each, now += milliseconds(10));
        return window_of(connection.far);
    };
    const int before = window_of(connection.far);
    const int slow = receive(1000), fast = receive(10'000'000);
    EXPECT_NE(slow, before);
    EXPECT_GT(fast, slow);
    EXPECT_EQ(receive(1000), fast);
}

}  // namespace
}  // namespace trellis
