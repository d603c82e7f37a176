#include "agentd/os/link_pace.hpp"

#include "agentd/os/loopback_connection_test.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace trellis {
namespace {

std::uint64_t pace_of(int socket) {
    std::uint64_t rate = 0;
    socklen_t size = sizeof rate;
    EXPECT_EQ(::getsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, &size), 0);
    return rate;
}

TEST(LinkPace, IsBelowWhatTheLinkCarriesOfTheSegments) {
    const LoopbackConnection connection(1460);
    const int socket = connection.near.get();
    LinkPace().keep_below(socket, 200e6);
    const double carried = 25e6 * 1448 / 1538;
    EXPECT_LT(static_cast<double>(pace_of(socket)), carried);
    EXPECT_GT(static_cast<double>(pace_of(socket)), 0.97 * carried);
}

TEST(LinkPace, LeavesOtherSocketsAlone) {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const std::uint64_t before = pace_of(socket.get());
    LinkPace pace;
    for (const double rate : {1e6, 0.0}) {
        pace.keep_below(socket.get(), rate);
        pace.look(socket.get());
    }
    EXPECT_EQ(pace_of(socket.get()), before);
}

}  // namespace
}  // namespace trellis
