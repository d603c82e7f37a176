// LoopbackConnection: both ends of a TCP connection on this machine.
#pragma once

#include "agentd/os/file_descriptor.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

namespace trellis {

struct LoopbackConnection {
    // `segment`: the most bytes in one, of the near end; 0: as the system has it.
    explicit LoopbackConnection(int segment = 0) : near(socket()) {
        const FileDescriptor listener(socket());
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener.get(), any, size), 0);
        EXPECT_EQ(::listen(listener.get(), 1), 0);
        EXPECT_EQ(::getsockname(listener.get(), any, &size), 0);
        if (segment > 0) {
            EXPECT_EQ(::setsockopt(near.get(), IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment), 0);
        }
        EXPECT_EQ(::connect(near.get(), any, size), 0);
        far = FileDescriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }

    FileDescriptor near, far;

  private:
    static FileDescriptor socket() {
        return FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }
};

}  // namespace trellis
