#include "tests/sim/sim_machines.hpp"

#include "tests/sim/sim_process.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trellis::sim {
namespace {

Failure failure(FailureKind kind, std::string cause) {
    return {kind, "log in", "", std::move(cause)};
}

}  // namespace

SimMachines::SimMachines(VirtualTime& time, SimNetwork& network, std::vector<SimFiles>& disks,
                         std::vector<RoleEntry> roles)
    : time_(time),
      network_(network),
      disks_(disks),
      roles_(std::move(roles)),
      logins_(network.file().hosts.size()),
      by_machine_(logins_.size()) {
    for (MachineIndex i = 0; i < logins_.size(); ++i)
        names_[name(i)] = i;
}

SimMachines::~SimMachines() = default;

std::optional<MachineIndex> SimMachines::find(const std::string& target) const {
    const std::string host = target.substr(target.find('@') + 1);
    const auto place = names_.find(host);
    return place == names_.end() ? network_.machine_at(host) : std::optional(place->second);
}

std::vector<trellis::Address> SimMachines::addresses(MachineIndex machine) const {
    std::vector<trellis::Address> found;
    for (const std::size_t nic : network_.file().hosts[machine].nics) {
        for (const lab::Address& address : network_.file().nodes[nic].addresses) {
            found.push_back({address.text, address.v6 ? "::/0" : "0.0.0.0/0"});
        }
    }
    return found;
}

Duration SimMachines::sample(MachineIndex from, MachineIndex to, Duration passed) const {
    return noise_ ? std::max(noise_(from, to, passed), Duration(1)) : passed;
}

Task<Result<MachineIndex>> SimMachines::reach(MachineIndex from, std::string target, TimePoint deadline) {
    const auto machine = find(target);
    if (!machine) co_return failure(FailureKind::unreachable, "unknown name");
    const LoginBehaviour& login = logins_[*machine];
    if (login.admits && !login.admits(name(from))) {
        co_return failure(FailureKind::unreachable, "no route to host");
    }
    auto reached = co_await connect_to(from, *machine, deadline);
    if (reached && login.kind == LoginBehaviour::Kind::unreachable) {
        co_return failure(FailureKind::unreachable, login.cause);
    }
    co_return reached;
}

Task<Result<MachineIndex>> SimMachines::reach_port(MachineIndex from, std::string address,
                                                   TimePoint deadline) {
    const auto machine = network_.machine_at(address);
    if (!machine) co_return failure(FailureKind::unreachable, "no route to host");
    co_return co_await connect_to(from, *machine, deadline);
}

Task<Result<MachineIndex>> SimMachines::connect_to(MachineIndex from, MachineIndex to, TimePoint deadline) {
    const LoginBehaviour& login = logins_[to];
    if (login.answers && !login.answers(name(from))) {
        co_await time_.sleep_until(deadline);
        co_return failure(FailureKind::timed_out, "timed out");
    }
    const auto delay = network_.one_way_delay(from, to);
    if (!delay || network_.cut_between(from, to) == Cut::visible) {
        co_return failure(FailureKind::unreachable, "no route to host");
    }
    const bool silent = network_.is_off(to) || network_.cut_between(from, to) == Cut::silent;
    TimePoint answer = time_.now() + 2 * *delay;
    if (silent || answer > deadline) answer = deadline;
    co_await time_.sleep_until(answer);
    if (answer == deadline) co_return failure(FailureKind::timed_out, "timed out");
    co_return to;
}

Task<Result<void>> SimMachines::authenticate(MachineIndex machine, TimePoint deadline) {
    LoginBehaviour& login = logins_[machine];
    const bool hangs = login.kind == LoginBehaviour::Kind::hangs;
    const TimePoint answer = hangs ? deadline : std::min(time_.now() + login.delay, deadline);
    co_await time_.sleep_until(answer);
    if (answer == deadline) co_return failure(FailureKind::timed_out, "timed out in login");
    if (login.drops > 0) {
        --login.drops;
        co_return failure(FailureKind::lost, "connection closed in login");
    }
    if (login.kind == LoginBehaviour::Kind::refuses) co_return failure(FailureKind::refused, login.cause);
    if (login.kind == LoginBehaviour::Kind::cannot_start) {
        co_return failure(FailureKind::cannot_start, login.cause);
    }
    co_return Result<void>{};
}

Task<Result<MachineIndex>> SimMachines::log_in(const SimProcess& from, const SpawnRequest& request) {
    const TimePoint deadline = time_.now() + request.timeout;
    const TimePoint connected =
        request.connect_timeout > Duration(0) ? time_.now() + request.connect_timeout : deadline;
    auto machine = co_await reach(from.machine(), request.target, connected);
    if (!machine) co_return machine.error();
    const Result<void> authenticated = co_await authenticate(*machine, deadline);
    if (!authenticated) co_return authenticated.error();
    if (network_.cut_between(from.machine(), *machine) != Cut::none || network_.is_off(*machine)) {
        co_await time_.sleep_until(deadline);
        co_return failure(FailureKind::timed_out, "timed out in login");
    }
    co_return *machine;
}

SimProcess& SimMachines::start_agent(MachineIndex machine, const std::string& agent_name) {
    SimProcess& process = start(machine, agent_name);
    agents_[agent_name] = &process;
    return process;
}

SimProcess* SimMachines::behind_door(MachineIndex machine, std::string_view door) const {
    if (door.empty()) return nullptr;
    const auto& here = by_machine_[machine];
    const auto place = std::ranges::find_if(here, [&](const SimProcess* process) {
        return process->alive() && process->serving() && process->door() == door;
    });
    return place == here.end() ? nullptr : *place;
}

SimProcess& SimMachines::start_root(MachineIndex machine) {
    return start(machine, "root");
}

SimProcess& SimMachines::start(MachineIndex machine, const std::string& name) {
    processes_.push_back(std::make_shared<SimProcess>(*this, machine, name));
    by_machine_[machine].push_back(processes_.back().get());
    return *processes_.back();
}

std::shared_ptr<Connection> SimMachines::connect(SimProcess& first, MachineIndex second) {
    auto connection = std::make_shared<Connection>(time_, network_, first.machine(), second);
    first.own(connection, 0);
    connections_.push_back(connection);
    return connection;
}

std::shared_ptr<Connection> SimMachines::connect(SimProcess& first, SimProcess& second) {
    auto connection = connect(first, second.machine());
    second.own(connection, 1);
    return connection;
}

SimProcess& SimMachines::agent(std::string_view agent_name) const {
    const auto place = agents_.find(agent_name);
    if (place == agents_.end()) throw std::logic_error("no agent on " + std::string(agent_name));
    return *place->second;
}

void SimMachines::break_cut_connections() {
    for (const auto& each : connections_) {
        const auto connection = each.lock();
        if (!connection) continue;
        const Cut cut = network_.cut_between(connection->machine(0), connection->machine(1));
        if (cut == Cut::visible) connection->fail("connection reset");
    }
}

std::size_t SimMachines::held_bytes() const {
    std::size_t bytes = 0;
    for (const auto& each : connections_) {
        if (const auto connection = each.lock()) bytes += connection->held();
    }
    return bytes;
}

}  // namespace trellis::sim
