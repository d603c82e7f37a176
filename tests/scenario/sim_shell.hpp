// SimShell: a user's session in the simulated world: lines of the command language, run by the real shell
// over real agents and plugins in virtual time. Owned by a test or a benchmark, which breaks the world at
// will.
#pragma once

#include "trellis/plugin.hpp"

#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/topology_value.hpp"
#include "shell/running/interpreter.hpp"
#include "shell/session/root_cluster.hpp"
#include "shell/session/value_types.hpp"
#include "tests/scenario/capture.hpp"
#include "tests/sim/sim_world.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

class SimShell {
  public:
    explicit SimShell(lab::TopologyFile file, std::uint64_t seed = 1)
        : world_(std::move(file), options(seed)) {
        session_.set_files(world_.files("ctl"));
    }
    // What the session still waits for must not outlive it, nor a line that did not end in time.
    ~SimShell() {
        if (running_) {
            asio::co_spawn(world_.executor(), interpreter_.jobs().end_all(), asio::detached);
            world_.advance(std::chrono::seconds(5));
        }
        world_.kill_root();
    }
    SimShell(const SimShell&) = delete;
    SimShell& operator=(const SimShell&) = delete;

    [[nodiscard]] sim::SimWorld& world() { return world_; }
    // Throws if it does not end in an hour of virtual time.
    LineResult run(const std::string& line) {
        running_ = true;
        LineResult result = world_.run(interpreter_.run_line(line, ""));
        running_ = false;
        return result;
    }
    // The exit status of `explore` of all hosts but the one where the user sits.
    int explore_all() {
        std::string line = "explore --fan-out 16";  // so that some have hosts below them
        for (const auto& host : world_.network().file().hosts)
            if (host.name != "ctl") line += " " + host.name;
        return run(line).status;
    }
    // The value `topology`; null if there is none.
    [[nodiscard]] std::shared_ptr<const TopologyValue> topology() {
        return session_.bus().get<TopologyValue>("topology");
    }
    // The value `bandwidth`; null if there is none.
    [[nodiscard]] std::shared_ptr<const BandwidthValue> bandwidth() {
        return session_.bus().get<BandwidthValue>("bandwidth");
    }
    [[nodiscard]] Seat& seat() { return seat_; }
    [[nodiscard]] Jobs& jobs() { return interpreter_.jobs(); }
    // Ctrl-C or Ctrl-Z after a time.
    void press_after(Duration delay) {
        world_.time().at(world_.time().now() + delay, [this] { interrupts_.press(); });
    }
    void suspend_after(Duration delay) {
        world_.time().at(world_.time().now() + delay, [this] { interrupts_.press_suspend(); });
    }
    // What was written to standard output and error since the last call.
    std::string printed() { return out_.take(); }
    std::string said() { return err_.take(); }

  private:
    static sim::SimOptions options(std::uint64_t seed) {
        sim::SimOptions options;
        options.seed = seed;
        options.roles = plugin_roles();
        return options;
    }
    static std::vector<CommandEntry> commands() {
        std::vector<CommandEntry> all = builtin_commands();
        for (const CommandEntry& entry : plugin_commands())
            all.push_back(entry);
        return all;
    }

    sim::SimWorld world_;
    RootCluster cluster_{world_.root(), ""};
    Session session_{cluster_, world_.time(), [] { return 1700000000; }, value_types()};
    Seat seat_{session_};
    Capture out_, err_;
    Console console_{world_.executor(), out_.fd(), err_.fd()};
    Interrupts interrupts_{world_.executor()};
    Interpreter interpreter_{session_, seat_, console_, interrupts_, commands()};
    bool running_ = false;
};

}  // namespace trellis
