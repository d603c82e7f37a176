// SimWorld: simulated machines, their network and a root session in one test process, in virtual time, the
// same at every run with the same seed. Owned by the test. Tests drive it with run() and advance(), and break
// it with kill(), stop(), crash() and cut().
#pragma once

#include "agentd/core/root.hpp"
#include "tests/sim/sim_machines.hpp"
#include "tests/sim/sim_process.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/co_spawn.hpp>

namespace trellis::sim {

struct SimOptions {
    std::uint64_t seed = 1;
    TreeSettings tree;
    std::string root = "ctl";                   // the machine where the user sits
    std::vector<RoleEntry> roles;               // of the agents, besides the built-in ones
    Duration patience = std::chrono::hours(1);  // a run() that takes longer is a failed test
};

// A laboratory description from its text; from a file of tests/lab/files by its name ("two_switches_8").
lab::TopologyFile parse_lab(std::string_view text);
lab::TopologyFile read_lab(const std::string& name);
// `hosts` machines h0, h1, ... and ctl, at one switch per 50 of them.
lab::TopologyFile many_hosts(std::size_t hosts);

// The user's side: what logins ask for.
class SimAuthority final : public LoginAuthority {
  public:
    Task<Result<void>> check_host_key(const SpawnRequest& request, std::string lookup,
                                      std::string key) override;
    Task<Result<std::string>> ask_agent(std::string request) override;
    Task<Result<std::string>> full_agent(std::uint64_t from) override;

    std::string refused_host;  // its key is not the known one
    std::size_t questions = 0;
};

class SimWorld {
  public:
    explicit SimWorld(lab::TopologyFile file, SimOptions options = {});
    ~SimWorld();
    SimWorld(const SimWorld&) = delete;
    SimWorld& operator=(const SimWorld&) = delete;

    [[nodiscard]] Root& root() { return *root_; }
    [[nodiscard]] VirtualTime& time() { return time_; }
    [[nodiscard]] SimNetwork& network() { return network_; }
    [[nodiscard]] SimMachines& machines() { return machines_; }
    [[nodiscard]] SimAuthority& authority() { return authority_; }
    [[nodiscard]] Executor executor() const { return root_process_.executor(); }

    // Runs a coroutine of the root session to its end and returns its value.
    template <class T>
    T run(Task<T> body);
    void advance(Duration duration);
    // Advances until the condition holds; false if it does not within the time.
    bool advance_until(const std::function<bool()>& condition, Duration most);

    [[nodiscard]] LoginBehaviour& login(std::string_view host);
    // The files of a machine.
    [[nodiscard]] SimFiles& files(std::string_view host);
    void add_name(std::string name, std::string_view machine);
    void set_noise(NoiseSource noise) { machines_.set_noise(std::move(noise)); }

    // The agent of that name: SIGKILL, SIGSTOP, SIGCONT.
    void kill(std::string_view host) { machines_.agent(host).kill(); }
    void stop(std::string_view host) { machines_.agent(host).stop(); }
    void resume(std::string_view host) { machines_.agent(host).resume(); }
    // The connection between the agent of that name and its parent ends; both live on.
    void break_link(std::string_view host);
    // Of what its parent says on its present link nothing comes for so long.
    void deafen(std::string_view host, Duration time);
    // The machine loses its power.
    void crash(std::string_view machine);
    void cut(std::string_view link, Cut how);
    void heal(std::string_view link) { cut(link, Cut::none); }
    // The shell itself is killed (-9). Nothing of the session may be used afterwards.
    void kill_root();
    // What the agent of that name did not write itself arrives at its parent.
    void inject(std::string_view host, Parcel parcel);

    [[nodiscard]] std::size_t agents_running() const;
    [[nodiscard]] std::size_t commands_running() const;
    [[nodiscard]] std::size_t roles_running() const;  // of operations, in all agents

  private:
    static SettingsSource no_settings();

    std::vector<SimFiles> disks_;  // before the time, with which the coroutines of killed agents end
    VirtualTime time_;
    SimNetwork network_;
    SimMachines machines_;
    SimAuthority authority_;
    Duration patience_;
    SimProcess& root_process_;
    std::unique_ptr<Root> root_;
};

template <class T>
T SimWorld::run(Task<T> body) {
    using Slot = std::conditional_t<std::is_void_v<T>, std::monostate, std::optional<T>>;
    const auto slot = std::make_shared<Slot>();
    const auto ended = std::make_shared<bool>(false);
    const auto error = std::make_shared<std::exception_ptr>();
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(executor(), std::move(body), [=](const std::exception_ptr& thrown) {
            *error = thrown;
            *ended = true;
        });
    } else {
        asio::co_spawn(executor(), std::move(body), [=](const std::exception_ptr& thrown, T value) {
            *error = thrown;
            *slot = std::move(value);
            *ended = true;
        });
    }
    if (!advance_until([&] { return *ended; }, patience_)) throw std::runtime_error("the run does not end");
    if (*error) std::rethrow_exception(*error);
    if constexpr (!std::is_void_v<T>) return std::move(**slot);
}

}  // namespace trellis::sim
