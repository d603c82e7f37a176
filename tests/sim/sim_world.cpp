#include "tests/sim/sim_world.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace trellis::sim {

lab::TopologyFile parse_lab(std::string_view text) {
    auto parsed = lab::parse_topology(text);
    if (const auto* error = std::get_if<lab::ParseError>(&parsed)) {
        throw std::logic_error("line " + std::to_string(error->line) + ": " + error->message);
    }
    return std::move(std::get<lab::TopologyFile>(parsed));
}

lab::TopologyFile read_lab(const std::string& name) {
    const std::string path = TRELLIS_LAB_FILES "/" + name + ".lab";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::ostringstream text;
    text << file.rdbuf();
    return parse_lab(text.str());
}

lab::TopologyFile many_hosts(std::size_t hosts) {
    std::string text = "switch core\nhost ctl core 10.255.0.1 rate=10gbit delay=25us queue=8m\n";
    for (std::size_t first = 0; first < hosts; first += 50) {
        const std::string group = std::to_string(first / 50);
        const std::size_t last = std::min(first + 50, hosts) - 1;
        text += "switch s" + group + " core rate=10gbit delay=25us queue=8m\n";
        text += "hosts h%d " + std::to_string(first) + " " + std::to_string(last) + " s" + group + " 10." +
                std::to_string(first / 12800) + "." + std::to_string(first / 50 % 256) +
                ".1 rate=1gbit delay=25us queue=1m\n";
    }
    return parse_lab(text);
}

Task<Result<void>> SimAuthority::check_host_key(const SpawnRequest& request, std::string, std::string) {
    ++questions;
    if (request.name == refused_host) {
        co_return Failure{FailureKind::refused, "log in", request.name, "host key changed"};
    }
    co_return Result<void>{};
}

Task<Result<std::string>> SimAuthority::ask_agent(std::string) {
    ++questions;
    co_return Failure{FailureKind::unavailable, "log in", "", "no ssh-agent"};
}

Task<Result<std::string>> SimAuthority::full_agent(std::uint64_t) {
    co_return Failure{FailureKind::cannot_start, "start the agent", "", "agents need no file here"};
}

SimWorld::SimWorld(lab::TopologyFile file, SimOptions options)
    : disks_(file.hosts.size()),
      network_(time_, std::move(file), options.seed),
      machines_(time_, network_, disks_, std::move(options.roles)),
      patience_(options.patience),
      root_process_(machines_.start_root(machines_.find(options.root).value())),
      root_(std::make_unique<Root>(root_process_.world(), options.tree, authority_, no_settings())) {}

// Everything ends before anything is destroyed: coroutines of the session hold what belongs to the Root.
SimWorld::~SimWorld() {
    kill_root();
    for (const auto& process : machines_.processes())
        process->kill();
    time_.context().poll();
    time_.close();
    time_.context().poll();
}

SettingsSource SimWorld::no_settings() {
    return [](std::string) -> Task<Result<SshSettings>> { co_return SshSettings{}; };
}

void SimWorld::advance(Duration duration) {
    advance_until([] { return false; }, duration);
}

bool SimWorld::advance_until(const std::function<bool()>& condition, Duration most) {
    const TimePoint limit = time_.now() + most;
    time_.at(limit, [] {});
    return time_.run(condition, limit);
}

LoginBehaviour& SimWorld::login(std::string_view host) {
    return machines_.login(machines_.find(std::string(host)).value());
}

SimFiles& SimWorld::files(std::string_view host) {
    return machines_.files(machines_.find(std::string(host)).value());
}

void SimWorld::add_name(std::string name, std::string_view machine) {
    machines_.add_name(std::move(name), machines_.find(std::string(machine)).value());
}

void SimWorld::break_link(std::string_view host) {
    if (const auto connection = machines_.agent(host).parent()) connection->fail("the connection has broken");
}

void SimWorld::deafen(std::string_view host, Duration time) {
    if (const auto connection = machines_.agent(host).parent()) connection->hold_back(0, time);
}

void SimWorld::crash(std::string_view machine) {
    const MachineIndex index = machines_.find(std::string(machine)).value();
    network_.switch_off(index);
    for (const auto& process : machines_.processes()) {
        if (process->machine() == index) process->kill();
    }
}

void SimWorld::cut(std::string_view link, Cut how) {
    network_.cut(link, how);
    machines_.break_cut_connections();
}

void SimWorld::kill_root() {
    root_process_.kill();
    root_.reset();
    time_.context().poll();
}

void SimWorld::inject(std::string_view host, Parcel parcel) {
    if (const auto connection = machines_.agent(host).parent()) connection->send(1, std::move(parcel));
}

std::size_t SimWorld::agents_running() const {
    const auto& all = machines_.processes();
    const auto count = std::ranges::count_if(
        all, [](const auto& process) { return process->alive() && process->serving(); });
    return static_cast<std::size_t>(count);
}

std::size_t SimWorld::commands_running() const {
    std::size_t count = 0;
    for (const auto& process : machines_.processes())
        count += process->running_commands();
    return count;
}

std::size_t SimWorld::roles_running() const {
    std::size_t count = 0;
    for (const auto& process : machines_.processes())
        count += process->running_roles();
    return count;
}

}  // namespace trellis::sim
