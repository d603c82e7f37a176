// Measures between two hosts of a laboratory with plain TCP, independently of trellis:
//     lab_probe serve PORT              answers both of the following, until it is killed
//     lab_probe rtt HOST PORT ROUNDS    smallest round-trip time in microseconds
//     lab_probe rate HOST PORT BYTES    megabits per second, as the receiver saw them
#include "tests/lab/lab_error.hpp"
#include "tests/lab/unique_fd.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace {

using trellis::lab::checked;
using trellis::lab::LabError;
using trellis::lab::UniqueFd;
using Clock = std::chrono::steady_clock;

// The first message of a connection: how many bytes follow; 0: echo every byte.
using Announcement = std::uint64_t;

double microseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
}

void no_delay(int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void receive_all(int fd, void* data, std::size_t size) {
    if (recv(fd, data, size, MSG_WAITALL) != static_cast<ssize_t>(size))
        throw LabError("connection closed early");
}

UniqueFd connect_to(const std::string& host, const std::string& port) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) throw LabError("unknown host " + host);
    UniqueFd fd(checked(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    int answer = connect(fd.get(), found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    checked(answer, "connect to " + host);
    no_delay(fd.get());
    return fd;
}

void echo(int fd) {
    for (char byte; recv(fd, &byte, 1, 0) == 1;)
        send(fd, &byte, 1, MSG_NOSIGNAL);
}

// Receives so many bytes and answers how long that took, in nanoseconds from the first byte on.
void receive(int fd, std::uint64_t left) {
    std::vector<char> buffer(1 << 18);
    auto start = Clock::now();
    while (left > 0) {
        ssize_t size = recv(fd, buffer.data(), std::min<std::uint64_t>(left, buffer.size()), 0);
        if (size <= 0) return;
        left -= static_cast<std::uint64_t>(size);
    }
    auto taken = static_cast<std::uint64_t>((Clock::now() - start).count());
    send(fd, &taken, sizeof taken, MSG_NOSIGNAL);
}

[[noreturn]] void serve(const std::string& port) {
    UniqueFd listener(checked(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    int off = 0, on = 1;
    setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
    checked(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), "bind");
    checked(listen(listener.get(), 64), "listen");
    signal(SIGCHLD, SIG_IGN);
    while (true) {
        UniqueFd fd(accept(listener.get(), nullptr, nullptr));
        if (!fd || fork() != 0) continue;
        no_delay(fd.get());
        Announcement announcement = 0;
        receive_all(fd.get(), &announcement, sizeof announcement);
        announcement == 0 ? echo(fd.get()) : receive(fd.get(), announcement);
        _exit(0);
    }
}

double smallest_rtt(const std::string& host, const std::string& port, int rounds) {
    UniqueFd fd = connect_to(host, port);
    Announcement announcement = 0;
    checked(send(fd.get(), &announcement, sizeof announcement, MSG_NOSIGNAL), "send");
    double smallest = 1e12;
    for (int i = 0; i < rounds; ++i) {
        char byte = 'x';
        auto start = Clock::now();
        checked(send(fd.get(), &byte, 1, MSG_NOSIGNAL), "send");
        receive_all(fd.get(), &byte, 1);
        smallest = std::min(smallest, microseconds(Clock::now() - start));
    }
    return smallest;
}

double rate(const std::string& host, const std::string& port, std::uint64_t bytes) {
    UniqueFd fd = connect_to(host, port);
    checked(send(fd.get(), &bytes, sizeof bytes, MSG_NOSIGNAL), "send");
    std::vector<char> buffer(1 << 18);
    for (std::uint64_t left = bytes; left > 0;) {
        left -= static_cast<std::uint64_t>(
            checked(send(fd.get(), buffer.data(), std::min<std::uint64_t>(left, buffer.size()), MSG_NOSIGNAL),
                    "send"));
    }
    std::uint64_t taken = 1;
    receive_all(fd.get(), &taken, sizeof taken);
    return static_cast<double>(bytes) * 8e3 / static_cast<double>(taken);
}

int run(const std::vector<std::string>& words) {
    if (words.size() == 2 && words[0] == "serve") serve(words[1]);
    if (words.size() != 4)
        throw LabError("expected: serve PORT | rtt HOST PORT ROUNDS | rate HOST PORT BYTES");
    double figure = words[0] == "rtt" ? smallest_rtt(words[1], words[2], std::stoi(words[3]))
                                      : rate(words[1], words[2], std::stoull(words[3]));
    std::printf("%.1f\n", figure);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run({words + 1, words + count});
    } catch (const std::exception& error) {
        std::cerr << "lab_probe: " << error.what() << "\n";
        return 1;
    }
}
