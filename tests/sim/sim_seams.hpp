// The seams of one simulated process: its ways to the simulated machines and network. Owned by the
// SimProcess. What they hand out (links, processes, sessions, listeners) may outlive the process and is
// harmless then.
#pragma once

#include "trellis/world.hpp"

#include "agentd/core/probe_reception.hpp"
#include "tests/sim/sim_machines.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trellis::sim {

class SimProcess;

class SimSpawner final : public Spawner {
  public:
    explicit SimSpawner(SimProcess& process) : process_(process) {}
    Task<Result<std::unique_ptr<Link>>> spawn(SpawnRequest request, LoginAuthority& authority,
                                              std::unique_ptr<ByteStream> transport) override;

  private:
    Task<Result<std::unique_ptr<Link>>> spawn_through(SpawnRequest request,
                                                      std::unique_ptr<ByteStream> transport);
    SimProcess& process_;
};

// Connects to the sshd of a machine, whatever the port.
class SimDialer final : public Dialer {
  public:
    explicit SimDialer(SimProcess& process) : process_(process) {}
    Task<Result<std::unique_ptr<ByteStream>>> dial(std::string host, std::uint16_t port,
                                                   Duration timeout) override;

  private:
    SimProcess& process_;
};

class SimProcesses final : public Processes {
  public:
    explicit SimProcesses(SimProcess& process) : process_(process) {}
    Result<std::unique_ptr<Process>> start(const ProcessSpec& spec) override;

  private:
    SimProcess& process_;
};

// One operation's open port: who may come, and what for. The probing and the streams use it alike.
struct OpenPort {
    std::shared_ptr<PeerSession> session;
    std::function<void(HostId peer, std::shared_ptr<Connection> connection)> take;  // streams only
    // Probing only.
    ProbeReception reception;
    std::vector<std::shared_ptr<Sender>> guests;   // of the reception
    std::vector<std::shared_ptr<Sender>> unknown;  // wait to be introduced
};

// The open ports of one process.
class SimPorts {
  public:
    std::uint16_t open(const std::shared_ptr<OpenPort>& port);
    // The port if it is still open and of the visitor's operation, else null.
    [[nodiscard]] std::shared_ptr<OpenPort> find(std::uint16_t number, const PeerSession& visitor) const;
    // Whether this peer may use a port that was found.
    [[nodiscard]] bool admits(std::uint16_t number, const OpenPort& port, const PeerSession& visitor);

  private:
    std::map<std::uint16_t, std::weak_ptr<OpenPort>> ports_;
    std::set<std::pair<std::uint16_t, HostId>> visitors_;  // who has been looked up and may use a port
    std::uint16_t last_ = 40000;
};

// The size of a probe and of its answer.
inline constexpr std::size_t probe_bytes = 64;

// Its round trips are messages of the network, so that crowds disturb one another. As the real one it opens a
// new connection for each set, which takes two round trips that are no samples.
class SimProber final : public Prober {
  public:
    explicit SimProber(SimProcess& process) : process_(process) {}
    Result<std::unique_ptr<Session>> open(PeerSession session) override;

  private:
    SimProcess& process_;
};

class SimStreams final : public Network {
  public:
    explicit SimStreams(SimProcess& process) : process_(process) {}
    [[nodiscard]] PublicKey public_key() const override { return ""; }
    Result<std::unique_ptr<Listener>> listen(const PeerSession& session) override;
    Task<Result<std::unique_ptr<ByteStream>>> connect(const PeerSession& session, HostId peer, Endpoint at,
                                                      Duration timeout) override;

  private:
    SimProcess& process_;
};

struct SimSeams {
    explicit SimSeams(SimProcess& process)
        : spawner(process), dialer(process), processes(process), prober(process), streams(process) {}
    SimSpawner spawner;
    SimDialer dialer;
    SimProcesses processes;
    SimProber prober;
    SimStreams streams;
    SimPorts ports;
};

// The living process at `at` with a port of the visitor's operation, its machine being reachable in
// principle; null if there is none.
SimProcess* find_listening(SimMachines& machines, const Endpoint& at, const PeerSession& visitor,
                           HostId peer);

}  // namespace trellis::sim
