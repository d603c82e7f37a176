#include "agentd/os/link_pace.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <arpa/inet.h>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

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
    const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener.get(), any, size), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    ASSERT_EQ(::getsockname(listener.get(), any, &size), 0);
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int segment = 1460;
    ASSERT_EQ(::setsockopt(socket.get(), IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment), 0);
    ASSERT_EQ(::connect(socket.get(), any, size), 0);
    LinkPace().keep_below(socket.get(), 200e6);
    const double carried = 25e6 * 1448 / 1538;
    EXPECT_LT(static_cast<double>(pace_of(socket.get())), carried);
    EXPECT_GT(static_cast<double>(pace_of(socket.get())), 0.97 * carried);
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
