#include "tests/sim/sim_process.hpp"

#include "tests/sim/sim_seams.hpp"

#include <csignal>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::sim {

SimProcess::SimProcess(SimMachines& machines, MachineIndex machine, std::string name)
    : machines_(machines),
      machine_(machine),
      name_(std::move(name)),
      life_(std::make_shared<ProcessLife>(machines.time().context())),
      seams_(std::make_unique<SimSeams>(*this)) {}

SimProcess::~SimProcess() {
    life_->die();
}

World SimProcess::world() {
    return {executor(),      machines_.time(), seams_->processes, seams_->prober,
            seams_->streams, seams_->spawner,  seams_->dialer,    machines_.files(machine_)};
}

void SimProcess::serve(std::unique_ptr<Link> parent) {
    Hello hello;
    hello.machine = "machine " + machines_.name(machine_);
    hello.addresses = machines_.addresses(machine_);
    hello.key = std::string(32, 'k');
    agent_ = std::make_unique<Agent>(world(), std::move(hello), machines_.roles());
    agent_->on_door([this](const std::string& name) { door_ = name; });
    asio::co_spawn(executor(), run_agent(shared_from_this(), std::move(parent)), asio::detached);
}

void SimProcess::knock(std::unique_ptr<Link> parent) {
    asio::co_spawn(executor(), agent_->rejoin(std::move(parent)), asio::detached);
}

// When the agent has ended, the process exits; not on its own stack.
Task<void> SimProcess::run_agent(std::shared_ptr<SimProcess> self, std::unique_ptr<Link> parent) {
    co_await self->agent_->run(std::move(parent));
    self->machines_.time().at(self->machines_.time().now(), [self] { self->kill(); });
}

void SimProcess::kill() {
    if (!alive()) return;
    for (const auto& owned : std::exchange(connections_, {})) {
        if (const auto connection = owned.connection.lock()) connection->abort(owned.side);
    }
    life_->die();
    for (const auto& script : std::exchange(scripts_, {})) {
        if (const auto running = script.lock()) running->signal(SIGKILL);
    }
    agent_.reset();
    machines_.files(machine_).release_claims();
}

void SimProcess::own(const std::shared_ptr<Connection>& connection, Connection::Side side) {
    std::erase_if(connections_, [](const auto& each) { return each.connection.expired(); });
    connections_.push_back({connection, side});
}

void SimProcess::own(const std::shared_ptr<Script>& script) {
    std::erase_if(scripts_, [](const auto& each) { return each.expired(); });
    scripts_.push_back(script);
}

std::size_t SimProcess::running_commands() const {
    std::size_t count = 0;
    for (const auto& script : scripts_) {
        const auto running = script.lock();
        count += running && running->running() ? 1 : 0;
    }
    return count;
}

}  // namespace trellis::sim
