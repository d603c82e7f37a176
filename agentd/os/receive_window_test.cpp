#include "agentd/os/receive_window.hpp"

#include "agentd/os/loopback_connection_test.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;

// Nothing where the system does not know it.
std::optional<int> option(const FileDescriptor& socket, int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    if (::getsockopt(socket.get(), level, name, &value, &size) != 0) return std::nullopt;
    return value;
}

int window_of(const FileDescriptor& socket) {
    return option(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP).value();
}

int buffer_of(const FileDescriptor& socket) {
    return option(socket, SOL_SOCKET, SO_RCVBUF).value();
}

// As much as the buffer takes comes and is read, again and again, so that the system would raise it.
void send_and_read(const LoopbackConnection& connection, ReceiveWindow& window,
                   ReceiveWindow::Clock::time_point now) {
    std::vector<char> bytes(1 << 20);
    for (int i = 0; i < 64; ++i) {
        while (::send(connection.near.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0)
            continue;
        while (::recv(connection.far.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0)
            continue;
        window.received(connection.far.get(), 1000, now += milliseconds(10));
    }
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

TEST(ReceiveWindow, DoesNotFollowWhatWasHeldUpAndComesFasterForAMoment) {
    const LoopbackConnection connection;
    ReceiveWindow window;
    auto now = ReceiveWindow::Clock::now();
    const auto receive = [&](std::size_t bytes) {
        window.received(connection.far.get(), bytes, now += milliseconds(50));
        return window_of(connection.far);
    };
    for (int i = 0; i < 4; ++i)
        receive(1'000'000);
    const int usual = receive(1'000'000);
    EXPECT_EQ(receive(0), usual);
    EXPECT_EQ(receive(10'000'000), usual);
    EXPECT_EQ(receive(1'000'000), usual);
}

TEST(ReceiveWindow, KeepsTheSystemFromRaisingTheBuffer) {
    const LoopbackConnection connection;
    if (!option(connection.far, SOL_SOCKET, SO_BUF_LOCK)) GTEST_SKIP() << "Linux before 5.15";
    ReceiveWindow window;
    const auto now = ReceiveWindow::Clock::now();
    window.received(connection.far.get(), 1000, now);
    const int buffer = buffer_of(connection.far);
    send_and_read(connection, window, now);
    EXPECT_LT(buffer_of(connection.far), 2 * buffer);
}

TEST(ReceiveWindow, LeavesTheBufferToTheSystemWhereMoreIsNeededThanItAllows) {
    const LoopbackConnection connection;
    if (!option(connection.far, SOL_SOCKET, SO_BUF_LOCK)) GTEST_SKIP() << "Linux before 5.15";
    ReceiveWindow window;
    auto now = ReceiveWindow::Clock::now();
    window.received(connection.far.get(), 1000, now);
    EXPECT_NE(option(connection.far, SOL_SOCKET, SO_BUF_LOCK), 0);
    for (int i = 0; i < 3; ++i)
        window.received(connection.far.get(), std::size_t{1} << 40, now += milliseconds(50));
    EXPECT_EQ(option(connection.far, SOL_SOCKET, SO_BUF_LOCK), 0);
}

}  // namespace
}  // namespace trellis
