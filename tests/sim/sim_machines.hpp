// SimMachines: the machines of a simulated world: their names, how their sshd behaves, the processes (agents,
// the root session) that run on them, and the connections between those. Owned by the SimWorld; the seams of
// the processes come here for everything that lies outside a process.
#pragma once

#include "trellis/prober.hpp"
#include "trellis/role.hpp"
#include "trellis/spawner.hpp"

#include "tests/sim/connection.hpp"
#include "tests/sim/sim_files.hpp"
#include "tests/sim/sim_network.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::sim {

class SimProcess;

// How a machine answers those who log in to it.
struct LoginBehaviour {
    enum class Kind : std::uint8_t { works, refuses, hangs, unreachable, cannot_start };
    Kind kind = Kind::works;
    Duration delay = std::chrono::milliseconds(150);       // of the login and the start of the agent
    std::string cause = "connection refused";              // where it does not work
    bool asks_host_key = true;                             // the one who logs in asks its authority
    std::function<bool(const std::string& from)> admits;   // machines that have a route here; empty: all
    std::function<bool(const std::string& from)> answers;  // to others it is silent; empty: to all
    int drops = 0;  // so many more connections are closed in the login, as by an sshd with too many
};

// What a sample of a round trip becomes whose messages took `passed`, queues and CPU included. A sample that
// is longer takes that much virtual time.
using NoiseSource = std::function<Duration(MachineIndex from, MachineIndex to, Duration passed)>;

class SimMachines {
  public:
    // `disks`: one for each machine.
    SimMachines(VirtualTime& time, SimNetwork& network, std::vector<SimFiles>& disks,
                std::vector<RoleEntry> roles);
    ~SimMachines();

    // Logs in over ssh, as far as the network and the machine let it: on success the time of a login has
    // passed. Times and failures as of Spawner::spawn.
    Task<Result<MachineIndex>> log_in(const SimProcess& from, const SpawnRequest& request);
    // What remains of a login once the connection to the machine's sshd stands.
    Task<Result<void>> authenticate(MachineIndex machine, TimePoint deadline);
    // Waits for a connection to the sshd of a name, or to any port of an address. Failures: unreachable,
    // timed_out.
    Task<Result<MachineIndex>> reach(MachineIndex from, std::string target, TimePoint deadline);
    Task<Result<MachineIndex>> reach_port(MachineIndex from, std::string address, TimePoint deadline);

    // Starts an agent that is known by `name`; it serves the parent at the other end of `link`.
    SimProcess& start_agent(MachineIndex machine, const std::string& name);
    SimProcess& start_root(MachineIndex machine);
    std::shared_ptr<Connection> connect(SimProcess& first, SimProcess& second);
    std::shared_ptr<Connection> connect(SimProcess& first, MachineIndex second);

    void add_name(std::string name, MachineIndex machine) { names_[std::move(name)] = machine; }
    [[nodiscard]] std::optional<MachineIndex> find(const std::string& target) const;
    [[nodiscard]] const std::string& name(MachineIndex machine) const {
        return network_.file().hosts[machine].name;
    }
    [[nodiscard]] std::vector<trellis::Address> addresses(MachineIndex machine) const;
    [[nodiscard]] LoginBehaviour& login(MachineIndex machine) { return logins_[machine]; }
    [[nodiscard]] SimFiles& files(MachineIndex machine) { return disks_[machine]; }
    void set_noise(NoiseSource noise) { noise_ = std::move(noise); }
    [[nodiscard]] Duration sample(MachineIndex from, MachineIndex to, Duration passed) const;

    [[nodiscard]] const std::vector<std::shared_ptr<SimProcess>>& processes() const { return processes_; }
    // In the order in which they were started.
    [[nodiscard]] const std::vector<SimProcess*>& processes_on(MachineIndex machine) const {
        return by_machine_[machine];
    }
    // The latest agent of that name; one that was never there is a bug of the test.
    [[nodiscard]] SimProcess& agent(std::string_view name) const;
    // The process on that machine whose agent has this door; null if there is none.
    [[nodiscard]] SimProcess* behind_door(MachineIndex machine, std::string_view door) const;
    // Connections that cross a visible cut break.
    void break_cut_connections();
    [[nodiscard]] std::size_t held_bytes() const;  // by all connections

    [[nodiscard]] VirtualTime& time() { return time_; }
    [[nodiscard]] SimNetwork& network() { return network_; }
    [[nodiscard]] const std::vector<RoleEntry>& roles() const { return roles_; }

  private:
    SimProcess& start(MachineIndex machine, const std::string& name);
    Task<Result<MachineIndex>> connect_to(MachineIndex from, MachineIndex to, TimePoint deadline);

    VirtualTime& time_;
    SimNetwork& network_;
    std::vector<SimFiles>& disks_;
    std::vector<RoleEntry> roles_;
    std::map<std::string, MachineIndex> names_;
    std::vector<LoginBehaviour> logins_;
    std::vector<std::shared_ptr<SimProcess>> processes_;
    std::vector<std::vector<SimProcess*>> by_machine_;
    std::map<std::string, SimProcess*, std::less<>> agents_;  // the latest of each name
    std::vector<std::weak_ptr<Connection>> connections_;
    NoiseSource noise_;
};

}  // namespace trellis::sim
