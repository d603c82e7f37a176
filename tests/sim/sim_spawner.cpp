#include "trellis/message.hpp"

#include "agentd/os/stream_link.hpp"
#include "tests/sim/sim_link.hpp"
#include "tests/sim/sim_process.hpp"
#include "tests/sim/sim_seams.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::sim {
namespace {

// One session of a machine's sshd over a connection that was dialled: "spawn NAME" is answered by "ok" or by
// the encoded Outcome of a failure; then the bytes of a link follow.
Task<void> serve_sshd(SimMachines* machines, std::shared_ptr<Connection> connection, MachineIndex machine) {
    auto stream = std::make_unique<SimByteStream>(connection, 1);
    const Result<std::string> request = co_await stream->read();
    if (!request || !request->starts_with("spawn ")) co_return;
    const TimePoint patience = machines->time().now() + std::chrono::hours(1);
    const Result<void> authenticated = co_await machines->authenticate(machine, patience);
    std::string answer = "ok";
    if (!authenticated) answer = encode(Outcome::of(authenticated.error()));
    const Result<void> written = co_await stream->write(std::move(answer));
    if (!authenticated || !written) co_return;
    SimProcess& agent = machines->start_agent(machine, request->substr(6));
    agent.own(connection, 1);
    agent.set_parent(connection);
    agent.serve(std::make_unique<StreamLink>(agent.executor(), std::move(stream)));
}

// What a time-out would close, until it is over.
struct Disarm {
    ByteStream*& waiting;
    ~Disarm() { waiting = nullptr; }
};

}  // namespace

Task<Result<std::unique_ptr<Link>>> SimSpawner::spawn(SpawnRequest request, LoginAuthority& authority,
                                                      std::unique_ptr<ByteStream> transport) {
    SimMachines& machines = process_.machines();
    if (transport) co_return co_await spawn_through(std::move(request), std::move(transport));
    const auto machine = co_await machines.log_in(process_, request);
    if (!machine) co_return machine.error();
    if (machines.login(*machine).asks_host_key) {
        const Result<void> known =
            co_await authority.check_host_key(request, request.target, "key of " + request.target);
        if (!known) co_return known.error();
    }
    SimProcess* waiting = machines.behind_door(*machine, request.door);
    if (!request.door.empty() && !waiting) {
        co_return Failure{FailureKind::cannot_start, "start the agent", request.name, "no agent waits there"};
    }
    SimProcess& agent = waiting ? *waiting : machines.start_agent(*machine, request.name);
    const auto connection = machines.connect(process_, agent);
    agent.set_parent(connection);
    auto link = std::make_unique<SimLink>(connection, 1);
    if (waiting)
        agent.knock(std::move(link));
    else
        agent.serve(std::move(link));
    co_return std::make_unique<SimLink>(connection, 0);
}

// The link over another stream: a login through a relay. Its time-out closes the stream, which ends the wait.
Task<Result<std::unique_ptr<Link>>> SimSpawner::spawn_through(SpawnRequest request,
                                                              std::unique_ptr<ByteStream> transport) {
    VirtualTime& time = process_.machines().time();
    const auto waiting = std::make_shared<ByteStream*>(transport.get());
    const Disarm disarm{*waiting};
    time.at(time.now() + request.timeout, [waiting] {
        if (*waiting) (*waiting)->close();
    });
    const TimePoint deadline = time.now() + request.timeout;
    std::string hello = "spawn " + request.name;
    const Result<void> written = co_await transport->write(std::move(hello));
    auto answer = co_await transport->read();
    if (time.now() >= deadline) {
        co_return Failure{FailureKind::timed_out, "log in", request.name, "timed out in login"};
    }
    if (!written || !answer) co_return Failure{FailureKind::lost, "log in", request.name, "relay lost"};
    if (*answer != "ok") {
        const auto outcome = decode<Outcome>(*answer);
        if (outcome) co_return Failure{outcome->kind, "log in", request.name, outcome->detail};
        co_return Failure{FailureKind::lost, "log in", request.name, "the relay has closed the connection"};
    }
    co_return std::make_unique<StreamLink>(process_.executor(), std::move(transport));
}

Task<Result<std::unique_ptr<ByteStream>>> SimDialer::dial(std::string host, std::uint16_t, Duration timeout) {
    SimMachines& machines = process_.machines();
    const auto machine =
        co_await machines.reach(process_.machine(), std::move(host), machines.time().now() + timeout);
    if (!machine) co_return machine.error();
    const auto connection = machines.connect(process_, *machine);
    asio::co_spawn(machines.time().context(), serve_sshd(&machines, connection, *machine), asio::detached);
    co_return std::make_unique<SimByteStream>(connection, 0);
}

}  // namespace trellis::sim
