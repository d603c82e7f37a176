// probe_bench: round-trip times of the prober over the loopback interface beside those of a plain ping-pong
// between two threads with blocking sockets. Prints minimum and median in microseconds.
#include "agentd/os/loopback_agents_test.hpp"
#include "agentd/os/tcp_prober.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <thread>

namespace {

using namespace trellis;

constexpr int round_trips = 5000;

void print(const char* what, std::vector<Duration> samples) {
    std::sort(samples.begin(), samples.end());
    const auto us = [](Duration time) { return std::chrono::duration<double, std::micro>(time).count(); };
    std::printf("%-22s min %7.2f  median %7.2f us\n", what, us(samples.front()),
                us(samples[samples.size() / 2]));
}

void set_blocking(const FileDescriptor& socket) {
    ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
}

std::vector<Duration> plain() {
    auto listening = listen_on({{"127.0.0.1", ""}});
    const FileDescriptor client = loopback::stranger(listening->endpoint);
    const int one = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    std::thread echo([&] {
        const FileDescriptor server = accept_from(listening->sockets.front());
        set_blocking(server);
        char buffer[16];
        while (::recv(server.get(), buffer, sizeof buffer, MSG_WAITALL) == sizeof buffer) {
            ::send(server.get(), buffer, sizeof buffer, MSG_NOSIGNAL);
        }
    });
    std::vector<Duration> samples;
    char buffer[16] = {};
    for (int i = 0; i < round_trips; ++i) {
        const TimePoint sent = ProbeLoop::now();
        ::send(client.get(), buffer, sizeof buffer, MSG_NOSIGNAL);
        if (::recv(client.get(), buffer, sizeof buffer, MSG_WAITALL) != sizeof buffer) break;
        samples.push_back(ProbeLoop::now() - sent);
    }
    ::shutdown(client.get(), SHUT_RDWR);
    echo.join();
    return samples;
}

// Sets of one round trip each, so that every sample is seen.
std::vector<Duration> probed(Duration spin) {
    asio::io_context context(1);
    const loopback::Agents agents(2);
    TcpProber prober_a(context.get_executor(), agents.key(0), nullptr, spin);
    TcpProber prober_b(context.get_executor(), agents.key(1), nullptr, spin);
    const auto a = prober_a.open(agents.session(0));
    const auto b = prober_b.open(agents.session(1));
    const ProbePlan plan{round_trips, 1, 1, std::chrono::seconds(10)};
    const auto result = loopback::run(context, (*a)->measure(agents.id(1), (*b)->endpoint(), plan));
    return result ? result->minima : std::vector<Duration>{Duration::zero()};
}

}  // namespace

int main() {
    print("plain ping-pong", plain());
    print("prober, sleeping", probed(Duration::zero()));
    if (default_probe_spin() > Duration::zero()) print("prober, polling", probed(default_probe_spin()));
}
