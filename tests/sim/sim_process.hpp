// SimProcess: one process of trellis on a simulated machine: the root session or an agent, with the seams of
// its World, its connections and the commands that it runs. Owned by SimMachines until the end of the world,
// also when it is dead. It can be killed, stopped and resumed at any event.
#pragma once

#include "trellis/world.hpp"

#include "agentd/core/agent.hpp"
#include "tests/sim/process_executor.hpp"
#include "tests/sim/script.hpp"
#include "tests/sim/sim_machines.hpp"

#include <memory>
#include <string>
#include <vector>

namespace trellis::sim {

struct SimSeams;  // sim_seams.hpp

class SimProcess : public std::enable_shared_from_this<SimProcess> {
  public:
    SimProcess(SimMachines& machines, MachineIndex machine, std::string name);
    ~SimProcess();

    [[nodiscard]] World world();
    [[nodiscard]] Executor executor() const { return ProcessExecutor(life_); }
    [[nodiscard]] SimMachines& machines() { return machines_; }
    [[nodiscard]] MachineIndex machine() const { return machine_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] SimSeams& seams() { return *seams_; }

    // Runs the real Agent over this link; the process ends with it.
    void serve(std::unique_ptr<Link> parent);
    [[nodiscard]] bool serving() const { return agent_ != nullptr; }
    // The name of the door of its agent, once that has one; a link to it as its new parent's.
    [[nodiscard]] const std::string& door() const { return door_; }
    void knock(std::unique_ptr<Link> parent);

    // SIGKILL: its connections end (nobody hears of it if the machine is off), its guardian kills its
    // commands.
    void kill();
    void stop() { life_->stop(); }  // SIGSTOP
    void resume() { life_->resume(); }
    [[nodiscard]] bool alive() const { return life_->state != ProcessLife::State::dead; }
    [[nodiscard]] bool running() const { return life_->state == ProcessLife::State::running; }

    // Ends with this process.
    void own(const std::shared_ptr<Connection>& connection, Connection::Side side);
    void own(const std::shared_ptr<Script>& script);
    [[nodiscard]] std::size_t running_commands() const;
    [[nodiscard]] std::size_t running_roles() const { return agent_ ? agent_->roles_running() : 0; }
    // The connection to the parent; an agent's is its side 1.
    void set_parent(const std::shared_ptr<Connection>& connection) { parent_ = connection; }
    [[nodiscard]] std::shared_ptr<Connection> parent() const { return parent_.lock(); }

  private:
    struct OwnedConnection {
        std::weak_ptr<Connection> connection;
        Connection::Side side;
    };
    static Task<void> run_agent(std::shared_ptr<SimProcess> self, std::unique_ptr<Link> parent);

    SimMachines& machines_;
    MachineIndex machine_;
    std::string name_;
    std::shared_ptr<ProcessLife> life_;
    std::unique_ptr<SimSeams> seams_;
    std::unique_ptr<Agent> agent_;
    std::string door_;
    std::vector<OwnedConnection> connections_;
    std::vector<std::weak_ptr<Script>> scripts_;
    std::weak_ptr<Connection> parent_;
};

}  // namespace trellis::sim
