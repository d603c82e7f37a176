#include "tests/sim/sim_link.hpp"
#include "tests/sim/sim_process.hpp"
#include "tests/sim/sim_seams.hpp"

#include <algorithm>
#include <utility>

namespace trellis::sim {
namespace {

// Its queue is shared with the port, so that a connection that comes late finds nothing of the listener.
struct Waiting {
    explicit Waiting(const Executor& executor) : arrived(executor) {}
    std::deque<Network::Incoming> incoming;
    bool closed = false;
    Signal arrived;
};

class SimListener final : public Network::Listener {
  public:
    SimListener(SimProcess& process, const PeerSession& session)
        : process_(process), waiting_(std::make_shared<Waiting>(process.executor())) {
        port_ = std::make_shared<OpenPort>();
        port_->session = std::make_shared<PeerSession>(session);
        port_->take = [waiting = waiting_](HostId peer, std::shared_ptr<Connection> connection) {
            waiting->incoming.push_back({peer, std::make_unique<SimByteStream>(std::move(connection), 1)});
            waiting->arrived.notify();
        };
        number_ = process.seams().ports.open(port_);
    }
    ~SimListener() override { close(); }

    [[nodiscard]] Endpoint endpoint() const override {
        return {process_.machines().addresses(process_.machine()), number_};
    }
    Task<Result<Network::Incoming>> accept() override {
        const auto waiting = waiting_;
        while (waiting->incoming.empty() && !waiting->closed)
            co_await waiting->arrived.wait();
        if (waiting->closed) co_return Failure{FailureKind::cancelled, "accept", "", "closed"};
        Network::Incoming incoming = std::move(waiting->incoming.front());
        waiting->incoming.pop_front();
        co_return incoming;
    }
    void close() override {
        port_.reset();
        waiting_->closed = true;
        waiting_->arrived.notify();
    }

  private:
    SimProcess& process_;
    std::shared_ptr<Waiting> waiting_;
    std::shared_ptr<OpenPort> port_;
    std::uint16_t number_ = 0;
};

}  // namespace

Result<std::unique_ptr<Network::Listener>> SimStreams::listen(const PeerSession& session) {
    return std::make_unique<SimListener>(process_, session);
}

// Two round trips: the connection and the proof of who comes.
Task<Result<std::unique_ptr<ByteStream>>> SimStreams::connect(const PeerSession& session, HostId peer,
                                                              Endpoint at, Duration timeout) {
    SimMachines& machines = process_.machines();
    VirtualTime& time = machines.time();
    const TimePoint deadline = time.now() + timeout;
    const std::string address = at.addresses.empty() ? "" : at.addresses.front().ip;
    const auto machine = co_await machines.reach_port(process_.machine(), address, deadline);
    if (!machine) co_return machine.error();
    const Duration round_trip = 2 * machines.network().one_way_delay(process_.machine(), *machine).value();
    SimProcess* listening = find_listening(machines, at, session, peer);
    const bool answers = !listening || listening->running();
    TimePoint arrival = deadline;
    if (answers) arrival = std::min(time.now() + round_trip, deadline);
    co_await time.sleep_until(arrival);
    if (time.now() >= deadline) co_return Failure{FailureKind::timed_out, "connect", "", "timed out"};
    const auto port = listening ? listening->seams().ports.find(at.port, session) : nullptr;
    const bool admitted = port && listening->seams().ports.admits(at.port, *port, session);
    if (!admitted || !listening->alive() || !port->take) {
        co_return Failure{FailureKind::refused, "connect", "", "connection refused"};
    }
    const auto connection = machines.connect(process_, *listening);
    connection->start_slowly();
    port->take(session.self, connection);
    co_return std::make_unique<SimByteStream>(connection, 0);
}

}  // namespace trellis::sim
