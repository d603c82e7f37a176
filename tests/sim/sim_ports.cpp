#include "agentd/core/pair_key.hpp"
#include "tests/sim/sim_process.hpp"
#include "tests/sim/sim_seams.hpp"

namespace trellis::sim {

std::uint16_t SimPorts::open(const std::shared_ptr<OpenPort>& port) {
    std::erase_if(ports_, [](const auto& entry) { return entry.second.expired(); });
    std::erase_if(visitors_, [this](const auto& entry) { return !ports_.contains(entry.first); });
    ports_[++last_] = port;
    return last_;
}

std::shared_ptr<OpenPort> SimPorts::find(std::uint16_t number, const PeerSession& visitor) const {
    const auto place = ports_.find(number);
    auto port = place == ports_.end() ? nullptr : place->second.lock();
    if (!port) return nullptr;
    const PeerSession& own = *port->session;
    const bool same =
        own.nonce == visitor.nonce && own.operation == visitor.operation && own.plain == visitor.plain;
    return same ? port : nullptr;
}

bool SimPorts::admits(std::uint16_t number, const OpenPort& port, const PeerSession& visitor) {
    if (visitors_.contains({number, visitor.self})) return true;
    if (!find_participant(*port.session, visitor.self)) return false;
    visitors_.emplace(number, visitor.self);
    return true;
}

SimProcess* find_listening(SimMachines& machines, const Endpoint& at, const PeerSession& visitor,
                           HostId peer) {
    for (const trellis::Address& address : at.addresses) {
        const auto machine = machines.network().machine_at(address.ip);
        if (!machine) continue;
        for (SimProcess* process : machines.processes_on(*machine)) {
            const auto port = process->alive() ? process->seams().ports.find(at.port, visitor) : nullptr;
            if (port && port->session->self == peer) return process;
        }
    }
    return nullptr;
}

Result<std::unique_ptr<Process>> SimProcesses::start(const ProcessSpec& spec) {
    SimMachines& machines = process_.machines();
    if (spec.directory == "/nowhere") {
        return Failure{FailureKind::cannot_start, "start a command", "", "no such directory: /nowhere"};
    }
    const auto script = std::make_shared<Script>(machines.time(), machines.name(process_.machine()), spec);
    process_.own(script);
    script->start();
    return std::make_unique<ScriptProcess>(script);
}

}  // namespace trellis::sim
